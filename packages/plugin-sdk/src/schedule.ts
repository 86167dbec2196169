import type { Duration } from './duration.ts'
import type { PluginContext } from './handler-context.ts'

/** After so long, counted from the last run; or at times of day, in UTC: `0 3 * * *`. */
export type Timing = { readonly every: Duration } | { readonly cron: string }

export interface Schedule {
  readonly timing: Timing
  readonly run: (context: PluginContext) => Promise<void>
}

/** One run at a time in all replicas; a missed one happens once. */
export function schedule(timing: Timing, run: (context: PluginContext) => Promise<void>): Schedule {
  return { timing, run }
}
