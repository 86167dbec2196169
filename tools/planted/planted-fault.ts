/** A defect put into a copy of the repository on purpose, and the check that has to notice. */
export interface PlantedFault {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Must pass on the untouched copy and fail on the edited one. */
  readonly command: string
  /** Must stand in the output: failing for another reason proves nothing. */
  readonly expect: RegExp
}

export type Edit =
  | { readonly file: string; readonly add: string }
  | { readonly file: string; readonly replace: string; readonly by: string }

/** A promise of the API, broken by one change of the server such as a careless hand could make. */
export interface ConformanceFault {
  /** As `tests/conformance/sentences.md` numbers it. */
  readonly promise: string
  /** In a few words. */
  readonly what: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}
