import { createHash } from 'node:crypto'
import { createReadStream, existsSync, openSync, readFileSync, readSync, closeSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { RestoreOptions, Tell, Verified } from './backup.ts'
import { ownerOnly } from './new-file.ts'
import { backUpPostgres, restorePostgres, verifyPostgres, type DatabasePlace } from './postgres/backup.ts'
import { backUpSqlite, restoreSqlite, verifySqlite } from './sqlite/backup.ts'

export interface Restored {
  /** Where the previous database was moved. */
  readonly aside: string | undefined
  /** Whether the backup was compared with its checksum; false when there is none. */
  readonly isChecked: boolean
}

/**
 * Writes a consistent snapshot into one new file while servers keep writing, and its checksum next to it, as `sha256sum` does:
 * engines detect neither every flipped bit in a backup nor every missing part.
 */
export async function backUp(place: DatabasePlace, to: string, tell: Tell): Promise<void> {
  const { url } = place
  const sums = sumsOf(to)
  const taken = [to, sums].find((file) => existsSync(file))
  if (taken !== undefined) throw new Error(`${taken} already exists; choose another name`)
  await (url.startsWith('sqlite:')
    ? backUpSqlite(url.slice('sqlite:'.length), to, tell)
    : backUpPostgres(place, to, tell))
  tell('computing the checksum')
  writeFileSync(sums, `${await digestOf(to)}  ${basename(to)}\n`, { flag: 'wx', mode: ownerOnly })
}

/** Restores the database from a backup and ends all sessions. No server may be running. */
export async function restore(place: DatabasePlace, options: RestoreOptions): Promise<Restored> {
  const { url } = place
  const isChecked = await check(options)
  const aside = await (url.startsWith('sqlite:')
    ? restoreSqlite(url.slice('sqlite:'.length), options)
    : restorePostgres(place, options))
  return { aside, isChecked }
}

/**
 * Reads all of a backup without a database: compares its checksum, and throws if it is damaged, no backup, or needs newer
 * servers.
 */
export async function verifyBackup(from: string, tell: Tell): Promise<Verified & { readonly isChecked: boolean }> {
  if (!existsSync(from)) throw new Error(`there is no file ${from}`)
  const isChecked = await check({ from, tell })
  tell('reading all of it')
  return { isChecked, ...(beginsWith(from, 'SQLite format 3') ? verifySqlite(from) : await verifyPostgres(from, tell)) }
}

function beginsWith(file: string, text: string): boolean {
  const begin = Buffer.alloc(text.length)
  const opened = openSync(file, 'r')
  try {
    readSync(opened, begin)
  } finally {
    closeSync(opened)
  }
  return begin.toString('latin1') === text
}

async function check({ from, tell }: Pick<RestoreOptions, 'from' | 'tell'>): Promise<boolean> {
  const sums = sumsOf(from)
  if (!existsSync(from) || !existsSync(sums)) return false
  tell('comparing the checksum')
  if (readFileSync(sums, 'utf8').startsWith(await digestOf(from))) return true
  throw new Error(`${from} does not match ${sums}: the backup was changed or damaged after it was made`)
}

function sumsOf(file: string): string {
  return `${file}.sha256`
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
