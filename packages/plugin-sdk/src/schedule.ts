import type { Duration } from './duration.ts'
import type { PluginContext } from './handler-context.ts'

/** `every`: interval since the last run. `cron`: times of day in UTC, such as `0 3 * * *`. */
export type Timing = { readonly every: Duration } | { readonly cron: string }

export interface Schedule {
  readonly timing: Timing
  readonly run: (context: PluginContext) => Promise<void>
}

/** Declares code that runs on a schedule, once at a time across all replicas. Several missed runs are made up for by one. */
export function schedule(timing: Timing, run: (context: PluginContext) => Promise<void>): Schedule {
  return { timing, run }
}
