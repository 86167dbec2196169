import SqliteDatabase from 'better-sqlite3'
import { DatabaseError } from 'pg'

/**
 * SQLSTATE classes by which PostgreSQL says that it cannot serve: connection, resources, shutdown and recovery, its files; that
 * our database is gone or lets us in no more; and that nobody may write, on a server that is a standby now.
 */
const ofPostgres = /^(08|53|57P|57014|58|3D000|28|25006)/
const ofSqlite = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|NOMEM|PROTOCOL)/
const ofNetwork = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET|ENOENT|EACCES)/
/** The driver gives these no code. */
const ofDriver =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|The database connection is not open)/

/** What is wrong with the database, for people; undefined when the error is of the statement. */
export function databaseFault(error: unknown): string | undefined {
  if (error instanceof AggregateError) return databaseFault(error.errors[0])
  if (error instanceof DatabaseError) return ofPostgres.test(error.code ?? '') ? refusing(error) : undefined
  if (error instanceof SqliteDatabase.SqliteError) return ofSqlite.test(error.code) ? refusing(error) : undefined
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  if (ofNetwork.test(code)) return `the database cannot be reached (${code})`
  return ofDriver.test(error.message) ? 'the connection to the database was lost' : undefined
}

function refusing({ code }: { readonly code?: string | undefined }): string {
  return `the database cannot serve now (${code})`
}
