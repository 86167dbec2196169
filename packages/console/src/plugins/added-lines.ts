import type { LogLine } from './log-lines.ts'

/** An answer of the server: lines since a number, with their times and replicas. */
export interface SentLines {
  readonly items: readonly string[]
  readonly times: readonly string[]
  /** The name of the replica of each line. */
  readonly replicas: readonly string[]
  /** The number of the newest line. */
  readonly last: number
}

export interface KnownLines {
  readonly lines: readonly LogLine[]
  readonly last: number
}

const mostLines = 2_000

/** The known lines with the new ones. Numbers below the known ones are those of a log that began again. */
export function addedLines(known: KnownLines | undefined, { items, times, replicas, last }: SentLines): KnownLines {
  const lines = items.map((text, at) => ({ text, time: times[at], replica: replicas[at] }))
  if (known === undefined || last < known.last) return { lines, last }
  return lines.length === 0 ? known : { lines: [...known.lines, ...lines].slice(-mostLines), last }
}
