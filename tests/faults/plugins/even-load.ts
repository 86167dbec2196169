import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What became of the requests of a stretch. */
export interface LoadFigures {
  /** Milliseconds, of those that failed too. */
  readonly latencies: readonly number[]
  readonly failed: number
  /** The first ones, in words. */
  readonly failures: readonly string[]
}

export interface EvenLoad extends AsyncDisposable {
  /** Of what was due since the last time, once all of it is answered. */
  take(): Promise<LoadFigures>
}

export interface EvenLoadOptions {
  readonly url: string
  readonly token: string
  readonly perSecond: number
}

/** On the plugin `good`, from a process of its own that dies with this one. */
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
