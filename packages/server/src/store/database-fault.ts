/**
 * Error codes of the engines and the network that mean that the database is unavailable. PostgreSQL (SQLSTATE): connection,
 * resources, shutdown and recovery, file errors; the database is missing or refuses the login; the server is now a read-only
 * standby. Not a short read: that file is damaged, and a retry does not help.
 */
const codes =
  /^(?:08...|53...|57P..|57014|58...|3D000|28...|25006|SQLITE_(?:BUSY|LOCKED|IOERR(?!_SHORT_READ)|FULL|CANTOPEN|READONLY|NOMEM|PROTOCOL)\w*)$/
const ofNetwork = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET|ENOENT|EACCES)/
/** A prepared statement is missing or exists already: transactions share connections. */
const unprepared = /^(?:26000|42P05)$/
/** Errors of the drivers that have no code. */
const words =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|The database connection is not open)/

/** Errors that affect only writes; reads may still succeed. */
const ofWrites: readonly (readonly [codes: RegExp, why: string])[] = [
  [/^(?:53100|SQLITE_FULL)$/, 'the disk of the database is full'],
  [/^(?:25006|SQLITE_READONLY\w*)$/, 'the database is read-only'],
  [/^SQLITE_IOERR_(?:WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHMSIZE)$/, 'the database cannot write to its disk'],
]

export interface DatabaseFault {
  /** Message for callers, without internal details. */
  readonly why: string
  /** Only a successful write shows that the fault is over. */
  readonly ofWrites: boolean
}

/** Describes a database failure; undefined when the statement itself caused the error. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  if (error instanceof AggregateError) return databaseFault(error.errors[0])
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  const [, unwritable] = ofWrites.find(([known]) => known.test(code)) ?? []
  if (unwritable !== undefined) return { why: unwritable, ofWrites: true }
  const why = wordsFor(code, error.message)
  return why === undefined ? undefined : { why, ofWrites: false }
}

function wordsFor(code: string, message: string): string | undefined {
  if (unprepared.test(code)) {
    return 'a pooler in front of the database does not keep prepared statements: set database.namedStatements to false'
  }
  if (codes.test(code)) return 'the database cannot serve now'
  if (ofNetwork.test(code)) return 'the database cannot be reached'
  return words.test(message) ? 'the connection to the database was lost' : undefined
}
