export interface TrialResult {
  /** What was measured, for the table. */
  readonly figures: string
  /** Empty when the trial has passed. */
  readonly faults: readonly string[]
  /** What was too slow: counts only on a machine that is idle otherwise. */
  readonly slow?: readonly string[]
}

export interface Trial {
  readonly name: string
  /** Quick with fewer rounds and smaller numbers. */
  readonly run: (options: { readonly quick: boolean }) => Promise<TrialResult>
}
