import type { LineLog } from './line-log.ts'

/** How a process came to its end. */
export interface PluginExit {
  /** In words: `ended with code 1`. */
  readonly how: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Its last lines. */
  readonly lines: readonly string[]
}

/** A plugin that was begun, healthy or not. */
export interface Running {
  readonly pid: number
  readonly log: Pick<LineLog, 'lines'>
  readonly exited: Promise<PluginExit>
  kill(why: string): void
  /** Asks it to finish; resolves when it has, or was ended. */
  stop(): Promise<void>
}
