import { createLineLog } from './line-log.ts'
import type { PluginExit, Running } from './running.ts'

/** What the host tells a plugin that it starts: the document of the protocol. */
export interface StartDocument {
  readonly token: string
  /** Unix socket paths of the plugin and of the host. */
  readonly listen: string
  readonly host: string
  /** Share of the runs of controllers and schedules to trace. */
  readonly tracing?: number
}

interface PluginStart extends StartDocument {
  readonly log: (line: string) => void
}

/** Runs a plugin in the host's own process until it is disposed, for tests that debug it. Everything else is unchanged. */
export type RunHere = (start: PluginStart) => Promise<AsyncDisposable>

/** Code in the host's own process cannot be killed, so it is only asked to stop. */
export function launchHere(run: RunHere, start: StartDocument, onLine: (line: string) => void): Running {
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
  return { pid: process.pid, log, exited, use: () => undefined, kill, stop }
}
