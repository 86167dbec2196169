import { Worker } from 'node:worker_threads'
import type { SchemaError, Thoroughness } from './compile-schema.ts'
import type { CompileReply, CompileRequest } from './compile-worker.ts'
import type { ObjectSchema } from './object-schema.ts'

/**
 * CPU time limit of a compilation: a slower schema would be slow on every replica. Counted as the thread's own time, so that a
 * busy machine refuses nothing that an idle one accepts.
 */
const compileMs = 2_000
const lookMs = 100
/** Wall clock limit, however busy the machine is. */
const patienceMs = 20_000
/** Limit for starting the thread and loading the compiler, which took 0.6 s at first. */
const startMs = 10_000
/** The thread ends after this long without work. */
const idleMs = 30_000
const memoryMb = 256

/** Why a schema cannot be used, in words that follow "the schema". */
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
  let running: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined
  let ids = 0

  const stop = async () => {
    clearTimeout(idle)
    const worker = running
    running = undefined
    await worker?.terminate()
  }
  const askNow = async (request: Omit<CompileRequest, 'id'>) => {
    clearTimeout(idle)
    try {
      running ??= await start()
      return await ask(running, { id: ++ids, ...request })
    } catch (error) {
      await stop()
      throw error
    } finally {
      idle = setTimeout(() => void stop(), idleMs).unref()
    }
  }
  // One after the other, so that each has the full time limit.
  const askInTurn = (request: Omit<CompileRequest, 'id'>) => {
    const turn = last.then(() => askNow(request))
    last = turn.catch(() => {})
    return turn
  }
  return {
    compile: async (schema, thoroughness) => {
      const { program, fault = 'cannot be compiled' } = await askInTurn({ schema, thoroughness })
      if (program === undefined) throw new SchemaFault(fault)
      return program
    },
    check: async (schema) => {
      try {
        const { errors, fault = 'cannot be checked' } = await askInTurn({ schema })
        return errors ?? [{ pointer: '', message: fault }]
      } catch (error) {
        if (!(error instanceof SchemaFault)) throw error
        return [{ pointer: '', message: error.message }]
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** The thread cannot be used any more. */
class Runaway extends SchemaFault {}

async function start(): Promise<Worker> {
  // From sources in development, otherwise as built.
  const file = import.meta.url.endsWith('.ts') ? './compile-worker.ts' : './compile-worker.js'
  const worker = new Worker(new URL(file, import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  worker.unref()
  await reply(worker, { limitMs: startMs })
  return worker
}

async function ask(worker: Worker, request: CompileRequest): Promise<CompileReply> {
  const before = await usedMs(worker)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(request)
  const isOver = async () => (await usedMs(worker)) - before > compileMs
  return reply(worker, { limitMs: patienceMs, isOver })
}

async function usedMs(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage()
  return (user + system) / 1000
}

interface Patience {
  readonly limitMs: number
  /** Whether the thread has used up its time. */
  readonly isOver?: () => Promise<boolean>
}

/** The thread answers one request at a time. */
async function reply(worker: Worker, { limitMs, isOver }: Patience): Promise<CompileReply> {
  const { promise, resolve, reject } = Promise.withResolvers<CompileReply>()
  const giveUp = () => reject(new Runaway(`takes more than ${compileMs} ms to compile`))
  const deadline = setTimeout(giveUp, limitMs)
  // A thread that has exited cannot be asked; its exit is handled below.
  const looking = setInterval(
    () =>
      void isOver?.().then(
        (over) => over && giveUp(),
        () => {},
      ),
    lookMs,
  )
  const onError = (error: Error) => reject(new Runaway(`cannot be compiled: ${error.message}`))
  const onExit = () => reject(new Runaway('takes too much memory to compile'))
  worker.once('message', resolve).once('error', onError).once('exit', onExit)
  try {
    return await promise
  } finally {
    clearTimeout(deadline)
    clearInterval(looking)
    worker.off('message', resolve).off('error', onError).off('exit', onExit)
  }
}
