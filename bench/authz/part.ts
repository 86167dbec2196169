/** Measures one thing and prints its table. */
export type Part = (options: { readonly quick: boolean }) => Promise<PartOutcome>

interface PartOutcome {
  /** What was found, in a few words. */
  readonly figure: string
  /** The bars that are not met. */
  readonly short: readonly string[]
}
