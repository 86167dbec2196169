import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import type { RestoreOptions, Tell, Verified } from '../backup.ts'
import { ownerOnly, writeNewFile } from '../new-file.ts'
import { usableNumber, type SchemaVersion } from '../schema-version.ts'
import { isDamage } from './cannot-open.ts'
import { copied, copy, copyByHolder } from './copies.ts'
import { migrations, readSchema } from './migrate.ts'

export async function backUpSqlite(file: string, to: string, tell: Tell): Promise<void> {
  if (!existsSync(file)) throw new Error(`there is no database at ${file}`)
  await writeNewFile(resolve(to), async (part) => {
    if (!(await copyByHolder(file, part, tell))) {
      using source = open(file)
      await copy(source.database, part, (percent) => tell(copied(percent)))
    }
    tell('verifying the copy')
    assertWhole(part)
  })
}

export async function restoreSqlite(
  file: string,
  { from, replace, tell }: RestoreOptions,
): Promise<string | undefined> {
  assertWhole(from)
  usableSchema(from)
  const isThere = existsSync(file) && statSync(file).size > 0
  if (isThere && !replace) throw new Error(`there is a database at ${file}; use --replace to move it aside`)
  const aside = isThere ? `${file}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}` : undefined
  const part = `${file}.part`
  removePart(part)
  tell('it is copied')
  try {
    copyFileSync(from, part)
    // The copy has the mode of the backup, which others may be able to read.
    chmodSync(part, ownerOnly)
    signOutEverybody(part)
    if (aside !== undefined) moveAside(file, aside)
    for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
    renameSync(part, file)
    return aside
  } catch (error) {
    removePart(part)
    throw error
  }
}

function removePart(part: string): void {
  for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(`${part}${rest}`, { force: true })
}

/** Opening and closing merges the log into the one file. A damaged file, the reason for many a restore, is moved with its log. */
function moveAside(file: string, aside: string): void {
  try {
    open(file)[Symbol.dispose]()
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  renameSync(file, aside)
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
}

function signOutEverybody(file: string): void {
  using opened = open(file)
  opened.database.exec('DELETE FROM sessions')
}

function assertWhole(file: string): void {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`)
  try {
    using opened = open(file)
    const { database } = opened
    const [first] = database.pragma('quick_check(1)') as readonly { readonly quick_check: string }[]
    if (first?.quick_check !== 'ok') throw new Error(first?.quick_check ?? 'it is empty')
    database.prepare('SELECT 1 FROM models LIMIT 1').get()
  } catch (error) {
    throw new Error(`${file} is no whole backup of a SQLite database: ${(error as Error).message}`, { cause: error })
  }
}

export function verifySqlite(file: string): Verified {
  assertWhole(file)
  return { engine: 'SQLite', schema: usableSchema(file) }
}

/** Throws `UnusableSchema` for a backup of a database that only newer servers can use. */
function usableSchema(file: string): SchemaVersion {
  using opened = open(file)
  const schema = readSchema(opened.database)
  usableNumber(schema, migrations)
  return schema
}

/** Opens the file exclusively, to check that nobody uses it. */
function open(file: string): Disposable & { readonly database: SqliteDatabase.Database } {
  const database = new SqliteDatabase(file, { timeout: 0, fileMustExist: true })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.prepare('SELECT count(*) FROM sqlite_master').get()
    return { database, [Symbol.dispose]: () => void database.close() }
  } catch (error) {
    database.close()
    if (error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new Error(`${file} is in use by another process; stop it first`, { cause: error })
    }
    throw error
  }
}
