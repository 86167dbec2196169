export interface TrialResult {
  /** Measurements for the table. */
  readonly figures: string
  /** Faults; empty if the trial passed. */
  readonly faults: readonly string[]
  /** Slow results; they count only on an idle machine. */
  readonly slow?: readonly string[]
}

export interface Trial {
  readonly name: string
  /** Runs the trial; `quick` uses fewer rounds and smaller numbers. */
  readonly run: (options: { readonly quick: boolean }) => Promise<TrialResult>
}
