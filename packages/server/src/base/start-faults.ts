import { createLog, type Log } from './log.ts'

export interface FaultOutput {
  /** Readable text instead of JSON lines. */
  readonly pretty: boolean
  readonly write: (text: string) => void
}

/** Why the configuration cannot be used: in JSON one line for each error. */
export function tellConfigFaults(faults: readonly string[], output: FaultOutput): void {
  if (output.pretty) {
    return output.write(`The configuration cannot be used:\n${faults.map((fault) => `  ${fault}\n`).join('')}`)
  }
  const log = createLog({ ...output, level: 'error' })
  for (const fault of faults) log.error({ fault }, 'the configuration cannot be used; pergola config check tests it')
}

/** Why the server does not start, and what to do. */
export interface StartFault {
  readonly reason: string
  readonly next: string | undefined
}

/** By the server's own log, so that the line comes after earlier ones. */
export function tellStartFault({ reason, next }: StartFault, log: Log, { pretty, write }: FaultOutput): void {
  if (pretty) return write(`Pergola cannot start: ${reason}${next === undefined ? '' : `; ${next}`}\n`)
  log.error({ reason, ...(next !== undefined && { next }) }, 'cannot start')
}
