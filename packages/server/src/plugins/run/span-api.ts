import { ApiError } from '@pergola/api'
import { traceIn } from '../../base/trace-parent.ts'
import { recordRun } from '../../base/tracing.ts'
import type { Answer, IncomingRequest, PluginCaller } from '../../call/call.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import { readJson } from '../../validation/read-json.ts'
import { compileSchema } from '../../validation/schema-validator.ts'

const milliseconds = { type: 'integer', minimum: 0, maximum: 8_640_000_000_000_000 }
const faults = compileSchema({
  type: 'object',
  required: ['traceparent', 'start', 'end'],
  additionalProperties: false,
  properties: {
    traceparent: { type: 'string', maxLength: 100 },
    start: milliseconds,
    end: milliseconds,
    error: { type: 'string', maxLength: 2_000 },
  },
})

interface ToldSpan {
  readonly traceparent: string
  readonly start: number
  readonly end: number
  readonly error?: string
}

/** Records a run of the plugin, if this server traces. */
export async function writeSpan({ plugin }: PluginCaller, name: string, request: IncomingRequest): Promise<Answer> {
  const { traceparent, ...span } = (await readJson(request, { what: 'the span', faults })) as ToldSpan
  const trace = traceIn({ traceparent })
  if (trace === undefined) throw new ApiError('BadRequest', 'traceparent must be 00-<trace>-<span>-<flags>')
  recordRun({ plugin, name, trace, ...span })
  return jsonAnswer(200, Buffer.from('{}'))
}
