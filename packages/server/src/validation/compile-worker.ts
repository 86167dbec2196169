import { parentPort } from 'node:worker_threads'
import { compileObjectSchema, objectSchemaErrors, type SchemaError, type Thoroughness } from './compile-schema.ts'
import type { ObjectSchema } from './object-schema.ts'

export interface CompileRequest {
  readonly id: number
  readonly schema: ObjectSchema
  /** When absent, the schema is only checked. */
  readonly thoroughness?: Thoroughness
}

/** The first reply, without a request's id, says that the thread has loaded. */
export interface CompileReply {
  readonly id: number
  readonly program?: string
  readonly fault?: string
  readonly errors?: readonly SchemaError[]
}

parentPort?.on('message', ({ id, ...request }: CompileRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage({ id, ...compile(request) } satisfies CompileReply)
})

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage({ id: 0 } satisfies CompileReply)

function compile({ schema, thoroughness }: Omit<CompileRequest, 'id'>): Omit<CompileReply, 'id'> {
  try {
    if (thoroughness === undefined) return { errors: objectSchemaErrors(schema) }
    return { program: compileObjectSchema(schema, thoroughness) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
