import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Outcome of the requests of an interval. */
export interface LoadFigures {
  /** Milliseconds, including failed requests. */
  readonly latencies: readonly number[]
  readonly failed: number
  /** Descriptions of the first failures. */
  readonly failures: readonly string[]
}

export interface EvenLoad extends AsyncDisposable {
  /** Outcome of the requests since the last call, once all are answered. */
  take(): Promise<LoadFigures>
}

export interface EvenLoadOptions {
  readonly url: string
  readonly token: string
  readonly perSecond: number
}

/** Constant load on the plugin `good`, from a separate process that ends with this one. */
export async function startEvenLoad({ url, token, perSecond }: EvenLoadOptions): Promise<EvenLoad> {
  const script = join(import.meta.dirname, 'processes/even-load.ts')
  const node = [process.execPath, script, url, token, String(perSecond)]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...node], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const next = async (): Promise<unknown> => {
    const ended = exited.then(([code]) => Promise.reject(new Error(`the load ended with ${code}`)))
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [unknown]
    return message
  }
  await next()
  return {
    take: async () => {
      const answer = next()
      child.send('take')
      return (await answer) as LoadFigures
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
