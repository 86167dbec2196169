import type { RestoreOptions, Tell } from './backup.ts'
import { backUpPostgres, restorePostgres } from './postgres/backup.ts'
import { backUpSqlite, restoreSqlite } from './sqlite/backup.ts'

/** Everything of one moment into one new file, while servers go on writing. */
export function backUp(url: string, to: string, tell: Tell): Promise<void> {
  return url.startsWith('sqlite:') ? backUpSqlite(url.slice('sqlite:'.length), to, tell) : backUpPostgres(url, to, tell)
}

/** Makes the database what it was, and signs everybody out; no server may run. Answers where that went which was there. */
export function restore(url: string, options: RestoreOptions): Promise<string | undefined> {
  return url.startsWith('sqlite:') ? restoreSqlite(url.slice('sqlite:'.length), options) : restorePostgres(url, options)
}
