import { createWorkerThread, ThreadFault } from '../base/worker-thread.ts'
import type { SchemaError, Thoroughness } from './compile-schema.ts'
import type { CompileReply, CompileRequest } from './compile-worker.ts'
import type { ObjectSchema } from './object-schema.ts'

/** CPU time limit of a compilation: a slower schema would be slow on every replica. */
export const compileMs = 2_000
const patienceMs = 20_000
const memoryMb = 256
const mostWaiting = 10_000

/** Why a schema cannot be used; continues "the schema". */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault'
}

/** Compiles schemas in a separate thread, so that no schema can delay a request. */
export interface SchemaCompiler extends AsyncDisposable {
  /** Returns the program's text; throws `SchemaFault`. */
  compile(schema: ObjectSchema, thoroughness: Thoroughness): Promise<string>
  /** All errors of a schema that is about to be registered. */
  check(schema: ObjectSchema): Promise<readonly SchemaError[]>
}

export function createSchemaCompiler(): SchemaCompiler {
  const module = new URL('./compile-worker.ts', import.meta.url)
  const thread = createWorkerThread<CompileRequest, CompileReply>({
    module,
    memoryMb,
    cpuMs: compileMs,
    patienceMs,
    mostWaiting,
  })
  const ask = async (request: CompileRequest) => {
    try {
      return await thread.ask(request)
    } catch (error) {
      throw error instanceof ThreadFault ? new SchemaFault(wordsOf(error)) : error
    }
  }
  return {
    compile: async (schema, thoroughness) => {
      const { program, fault = 'cannot be compiled' } = await ask({ schema, thoroughness })
      if (program === undefined) throw new SchemaFault(fault)
      return program
    },
    check: async (schema) => {
      try {
        const { errors, fault = 'cannot be checked' } = await ask({ schema })
        return errors ?? [{ pointer: '', message: fault }]
      } catch (error) {
        if (!(error instanceof SchemaFault)) throw error
        return [{ pointer: '', message: error.message }]
      }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

function wordsOf({ why, message }: ThreadFault): string {
  if (why === 'time') return `takes more than ${compileMs} ms to compile`
  return why === 'memory' ? 'takes too much memory to compile' : `cannot be compiled: ${message}`
}
