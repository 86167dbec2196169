import type { ProcessUse } from './cgroups.ts'
import type { LineLog } from './line-log.ts'

/** How a process ended. */
export interface PluginExit {
  /** In words, such as `ended with code 1`. */
  readonly how: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Its last log lines. */
  readonly lines: readonly string[]
}

/** A started plugin, healthy or not. */
export interface Running {
  readonly pid: number
  readonly log: Pick<LineLog, 'lines'>
  readonly exited: Promise<PluginExit>
  /** What its processes used when they were last counted, up to a second ago. */
  use(): ProcessUse | undefined
  kill(why: string): void
  /** Asks the plugin to finish; resolves when it has exited or was killed. */
  stop(): Promise<void>
}
