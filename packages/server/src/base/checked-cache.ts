/** Something of the database that is kept in memory, as the check of such things sees it. */
export interface CheckedCache {
  /** In the metrics and the log: `roles`. */
  readonly name: string
  /**
   * What is not in memory as it is stored, each with its stored state: so what changes between two looks is not taken for
   * what stays wrong.
   */
  readonly differences: () => Promise<ReadonlySet<string>>
  /** Reads it anew. */
  readonly repair: () => Promise<void>
}
