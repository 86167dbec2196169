import { Worker } from 'node:worker_threads'

const lookMs = 100
/**
 * With the default, a thread that ran out of memory while parsing 1 MiB of YAML aborted the whole process; with 8 MiB or less
 * only the thread ended.
 */
const youngMb = 8
/** Limit for starting the thread and loading its module, which took 0.6 s at first. */
const startMs = 10_000
/** The thread ends after this long without work. */
const idleMs = 30_000

export interface ThreadSettings {
  /** The module that runs in the thread, as a `.ts` file. It posts any message when it has loaded, then a reply per request. */
  readonly module: URL
  /** Limit of its heap; buffers are not part of it. */
  readonly memoryMb: number
  /** CPU time limit per request, so that a busy machine rejects nothing that an idle one accepts. */
  readonly cpuMs: number
  /** Wall clock limit per request, however busy the machine is. */
  readonly patienceMs: number
  /** Requests that may wait for their turn. */
  readonly mostWaiting: number
}

/** Why the thread did not reply: the request exceeded its CPU time or memory, the thread failed, or the queue is full. */
export class ThreadFault extends Error {
  override readonly name = 'ThreadFault'
  readonly why: 'time' | 'memory' | 'failure' | 'busy'

  constructor(why: ThreadFault['why'], message: string) {
    super(message)
    this.why = why
  }
}

/** A thread for work that must not delay requests. It starts with the first request and is replaced after a fault. */
export interface WorkerThread<Request, Reply> extends AsyncDisposable {
  /** One after the other, so that each has the full limits. Throws `ThreadFault`. */
  ask(request: Request): Promise<Reply>
}

export function createWorkerThread<Request, Reply>(settings: ThreadSettings): WorkerThread<Request, Reply> {
  let running: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined
  let waiting = 0

  const stop = async () => {
    clearTimeout(idle)
    const worker = running
    running = undefined
    await worker?.terminate()
  }
  const askNow = async (request: Request): Promise<Reply> => {
    clearTimeout(idle)
    try {
      running ??= await start(settings)
      return (await ask(running, request, settings)) as Reply
    } catch (error) {
      await stop()
      throw error
    } finally {
      waiting--
      idle = setTimeout(() => void stop(), idleMs).unref()
    }
  }
  return {
    ask: async (request) => {
      if (waiting >= settings.mostWaiting) throw new ThreadFault('busy', `more than ${settings.mostWaiting} wait`)
      waiting++
      const turn = last.then(() => askNow(request))
      last = turn.catch(() => {})
      return turn
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function start({ module, memoryMb }: ThreadSettings): Promise<Worker> {
  // From sources in development, otherwise as built.
  const file = import.meta.url.endsWith('.ts') ? module : new URL(module.href.replace(/\.ts$/, '.js'))
  const worker = new Worker(file, {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
  })
  worker.unref()
  await reply(worker, { limitMs: startMs })
  return worker
}

async function ask(worker: Worker, request: unknown, { cpuMs, patienceMs }: ThreadSettings): Promise<unknown> {
  const before = await usedMs(worker)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(request)
  const isOver = async () => (await usedMs(worker)) - before > cpuMs
  return reply(worker, { limitMs: patienceMs, isOver })
}

async function usedMs(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage()
  return (user + system) / 1000
}

interface Patience {
  readonly limitMs: number
  /** Whether the thread has exceeded its CPU time. */
  readonly isOver?: () => Promise<boolean>
}

async function reply(worker: Worker, { limitMs, isOver }: Patience): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const giveUp = () => reject(new ThreadFault('time', 'the thread took too long'))
  const deadline = setTimeout(giveUp, limitMs)
  // An exited thread has no usage; its exit is handled below.
  const looking = setInterval(
    () =>
      void isOver?.().then(
        (over) => over && giveUp(),
        () => {},
      ),
    lookMs,
  )
  const onError = (error: Error & { readonly code?: string }) =>
    reject(new ThreadFault(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'failure', error.message))
  const onExit = () => reject(new ThreadFault('memory', 'the thread has exited'))
  const onMessage = (message: unknown) => {
    if (!isOfNode(message)) resolve(message)
  }
  worker.on('message', onMessage).once('error', onError).once('exit', onExit)
  try {
    return await promise
  } finally {
    clearTimeout(deadline)
    clearInterval(looking)
    worker.off('message', onMessage).off('error', onError).off('exit', onExit)
  }
}

/** With `node --watch`, a thread also reports which files it has loaded: `{ 'watch:import': [...] }`. */
function isOfNode(message: unknown): boolean {
  return typeof message === 'object' && message !== null && Object.keys(message).some((key) => key.startsWith('watch:'))
}
