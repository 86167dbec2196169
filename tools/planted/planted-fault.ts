/** A defect put into a copy of the repository on purpose, and the check that has to notice. */
export interface PlantedFault {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Must pass on the untouched copy and fail on the edited one. */
  readonly command: string
  /** Must match the output, because a failure for another reason proves nothing. */
  readonly expect: RegExp
}

export type Edit =
  | { readonly file: string; readonly add: string }
  | { readonly file: string; readonly replace: string; readonly by: string }

/** A change of the server that breaks one promise of the API. */
export interface ConformanceFault {
  /** As `tests/conformance/sentences.md` numbers it. */
  readonly promise: string
  /** Short description of the fault. */
  readonly what: string
  readonly file: string
  /** Occurs in the file exactly once. */
  readonly find: string
  readonly replace: string
}
