import { parentPort } from 'node:worker_threads'
import { compileObjectSchema, type SchemaPrograms } from './compile-schema.ts'
import type { ObjectSchema } from './object-schema.ts'

export interface CompileRequest {
  readonly id: number
  readonly schema: ObjectSchema
}

/** The first one, with no request's id, says that the thread has loaded. */
export interface CompileReply {
  readonly id: number
  readonly programs?: SchemaPrograms
  readonly fault?: string
}

parentPort?.on('message', ({ id, schema }: CompileRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage({ id, ...compile(schema) } satisfies CompileReply)
})

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage({ id: 0 } satisfies CompileReply)

function compile(schema: ObjectSchema): Omit<CompileReply, 'id'> {
  try {
    return { programs: compileObjectSchema(schema) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
