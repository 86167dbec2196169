import { parentPort } from 'node:worker_threads'
import { compileObjectSchema, objectSchemaErrors, type SchemaError, type Thoroughness } from './compile-schema.ts'
import type { ObjectSchema } from './object-schema.ts'

export interface CompileRequest {
  readonly schema: ObjectSchema
  /** When absent, the schema is only checked. */
  readonly thoroughness?: Thoroughness
}

export interface CompileReply {
  readonly program?: string
  readonly fault?: string
  readonly errors?: readonly SchemaError[]
}

parentPort?.on('message', (request: CompileRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(compile(request))
})

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('loaded')

function compile({ schema, thoroughness }: CompileRequest): CompileReply {
  try {
    if (thoroughness === undefined) return { errors: objectSchemaErrors(schema) }
    return { program: compileObjectSchema(schema, thoroughness) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
