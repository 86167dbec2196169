/** One step of the host's own tables. */
export interface Migration {
  readonly number: number
  /** The lowest schema number of a server that can still use the database after this step. */
  readonly lowestReader: number
  readonly sql: string
}

/** What a database reports about its tables. Both are 0 in an empty database. */
export interface SchemaVersion {
  /** Of the newest migration. */
  readonly number: number
  /** The lowest schema number of a server that can use the database. */
  readonly lowestReader: number
}

/** The database is too new, or too old, for this server. */
export class UnusableSchema extends Error {}

/** Throws `UnusableSchema`. Numbers are compared, never release names. */
export function usableNumber({ number, lowestReader }: SchemaVersion, known: readonly Migration[]): number {
  const own = known.at(-1)?.number ?? 0
  const oldest = known[0]?.number ?? 0
  if (lowestReader > own) {
    throw new UnusableSchema(
      `the database has schema ${number}, for servers with schema ${lowestReader} or later; this server has ${own}. ` +
        'Start the release that upgraded the database, or restore a backup from before the upgrade',
    )
  }
  if (number > 0 && number < oldest) {
    throw new UnusableSchema(
      `the database has schema ${number}, older than the first release; this server upgrades from ${oldest} on`,
    )
  }
  return number
}

/** The migrations that a database still needs. */
export function missing(number: number, known: readonly Migration[]): readonly Migration[] {
  return known.filter((migration) => migration.number > number)
}
