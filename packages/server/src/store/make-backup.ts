import type { RestoreOptions, Tell } from './backup.ts'
import { backUpPostgres, restorePostgres } from './postgres/backup.ts'
import { backUpSqlite, restoreSqlite } from './sqlite/backup.ts'

/** Writes a consistent snapshot into one new file while servers keep writing. */
export function backUp(url: string, to: string, tell: Tell): Promise<void> {
  return url.startsWith('sqlite:') ? backUpSqlite(url.slice('sqlite:'.length), to, tell) : backUpPostgres(url, to, tell)
}

/**
 * Restores the database from a backup and ends all sessions. No server may run. Returns where the previous database was moved.
 */
export function restore(url: string, options: RestoreOptions): Promise<string | undefined> {
  return url.startsWith('sqlite:') ? restoreSqlite(url.slice('sqlite:'.length), options) : restorePostgres(url, options)
}
