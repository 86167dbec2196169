/** Result of one check, for people and as JSON. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'failed'
  readonly name: string
  readonly words: string
  /** A command or setting that fixes the problem, usable as it is printed. */
  readonly advice?: string
}

/** One thing that can be checked on its own. */
export interface Check {
  readonly name: string
  /** Releases what it holds when the signal aborts: the deadline has passed. */
  readonly run: (signal: AbortSignal) => Promise<readonly Finding[]>
  /** For a check that did not end by its deadline; without it another check reports the cause. */
  readonly lateAdvice?: string
}

export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return wordsOf(error.cause)
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
}
