import { createLineLog } from './line-log.ts'
import type { PluginExit, Running } from './running.ts'

/** What a host says to a plugin that it starts: the document of the protocol, and where its lines go. */
export interface PluginStart {
  readonly token: string
  /** Where the plugin listens, and where the host does: paths of Unix sockets. */
  readonly listen: string
  readonly host: string
  readonly log: (line: string) => void
}

/** Runs a plugin in our own process until it is disposed of, for tests that look into it. All else is as ever. */
export type RunHere = (start: PluginStart) => Promise<AsyncDisposable>

/** Nothing can be ended here by force: whoever runs our process can, and so it is asked to stop. */
export function launchHere(run: RunHere, start: Omit<PluginStart, 'log'>, onLine: (line: string) => void): Running {
  const log = createLineLog(onLine)
  const { promise: exited, resolve } = Promise.withResolvers<PluginExit>()
  const end = (how: string) => {
    log.end()
    resolve({ how, code: 0, signal: null, lines: log.lines() })
  }
  const begun = run({ ...start, log: (line) => log.write(`${line}\n`) })
  begun.catch((error: unknown) => end(`cannot be started: ${error instanceof Error ? error.message : String(error)}`))
  let why: string | undefined
  const stop = async () => {
    const running = await begun.catch(() => undefined)
    await running?.[Symbol.asyncDispose]()
    end(why ?? 'was stopped')
  }
  const kill = (reason: string) => {
    why ??= reason
    void stop()
  }
  return { pid: process.pid, log, exited, kill, stop }
}
