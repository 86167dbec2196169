import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ReaderReport } from './readers.ts'

interface OpenOptions {
  readonly url: string
  readonly token: string
  readonly count: number
  readonly path: string
  readonly cycle?: number
}

/** Readers in a separate process. */
export interface Readers extends Disposable {
  open(options: OpenOptions): Promise<void>
  /** Since the last report. */
  report(): Promise<ReaderReport>
}

export function startReaders(): Readers {
  const child = forkBench('readers.ts')
  return {
    open: async ({ url, token, count, path, cycle = count }) => {
      const headers = {
        authorization: `Bearer ${token}`,
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      }
      await ask(child, { do: 'open', port: Number(new URL(url).port), count, headers, path, cycle })
    },
    report: () => ask<ReaderReport>(child, { do: 'report' }),
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  }
}

export function forkBench(file: string, args: readonly string[] = []): ChildProcess {
  return fork(join(import.meta.dirname, file), [...args], {
    execArgv: ['--conditions=@pergola/source'],
    stdio: 'inherit',
  })
}

/** Sends a message to a child and returns its next message; throws if the child exits. */
export async function ask<Said>(child: ChildProcess, command: object): Promise<Said> {
  child.send(command)
  return heard<Said>(child)
}

export async function heard<Said>(child: ChildProcess): Promise<Said> {
  const stop = new AbortController()
  const { signal } = stop
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the process of the bench ended with ${code}`)
  })
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Said]
    return message
  } finally {
    // Removes the listener, because repeated calls would accumulate them.
    ended.catch(() => {})
    stop.abort()
  }
}
