/** A cache of database content, as seen by the self-check. */
export interface CheckedCache {
  /** Name in the metrics and the log: `roles`. */
  readonly name: string
  /**
   * Entries that differ from the database, each with its stored state, so that a change between two checks does not look like
   * a persistent difference.
   */
  readonly differences: () => Promise<ReadonlySet<string>>
  /** Reloads the cache. */
  readonly repair: () => Promise<void>
}
