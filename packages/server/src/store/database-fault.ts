/**
 * By these codes the engines and the network say that the database cannot serve. PostgreSQL (SQLSTATE): connection, resources,
 * shutdown and recovery, its files; our database is gone or lets us in no more; nobody may write, on a server that is a standby now. Not a file
 * that is too short: it is damaged, and trying again does not help.
 */
const codes =
  /^(?:08...|53...|57P..|57014|58...|3D000|28...|25006|SQLITE_(?:BUSY|LOCKED|IOERR(?!_SHORT_READ)|FULL|CANTOPEN|READONLY|NOMEM|PROTOCOL)\w*)$/
const ofNetwork = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET|ENOENT|EACCES)/
/** The drivers give these no code. */
const words =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|The database connection is not open)/

/** What is wrong with the database, for callers, who are told nothing of the inside; undefined when the error is of the statement. */
export function databaseFault(error: unknown): string | undefined {
  if (error instanceof AggregateError) return databaseFault(error.errors[0])
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  if (codes.test(code)) return 'the database cannot serve now'
  if (ofNetwork.test(code)) return 'the database cannot be reached'
  return words.test(error.message) ? 'the connection to the database was lost' : undefined
}
