import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { credentialTables } from '../../packages/server/src/store/host-tables.ts'

const names = new Set([...credentialTables.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = '']) => name))

/** A value from a table without credentials, as bytes. */
export interface DumpedValue {
  readonly where: string
  readonly bytes: Buffer
}

export interface Dump {
  /** All values outside the credential tables: objects, indexes, the change log, the catalog. */
  readonly others: readonly DumpedValue[]
  /** The stored password hashes. */
  readonly passwordHashes: readonly string[]
  /** The number of credential tables and of their rows. */
  readonly credentials: { readonly tables: number; readonly rows: number }
}

/** Reads the whole database directly, without the server. */
export async function dumpDatabase(url: string): Promise<Dump> {
  using tables = url.startsWith('sqlite:') ? openSqlite(url) : undefined
  if (tables) return await dump(tables.names(), async (table) => tables.rows(table))
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
    )
    return await dump(
      rows.map(({ name }) => name),
      async (table) => (await client.query<Record<string, unknown>>(`SELECT * FROM "${table}"`)).rows,
    )
  } finally {
    await client.end()
  }
}

/** Opens a copy of the file and its write-ahead log, because the server locks the original. */
function openSqlite(url: string) {
  const file = url.slice('sqlite:'.length)
  const directory = mkdtempSync(join(tmpdir(), 'pergola-dump-'))
  const copy = join(directory, 'copy.db')
  for (const part of ['', '-wal']) copyFileSync(`${file}${part}`, `${copy}${part}`)
  const database = new DatabaseSync(copy)
  return {
    names: () =>
      database
        .prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`)
        .all()
        .map(({ name }) => String(name)),
    rows: (table: string) => {
      const statement = database.prepare(`SELECT * FROM "${table}"`)
      statement.setReadBigInts(true)
      return statement.all() as Record<string, unknown>[]
    },
    [Symbol.dispose]: () => {
      database.close()
      rmSync(directory, { recursive: true })
    },
  }
}

type Row = Readonly<Record<string, unknown>>

async function dump(tables: readonly string[], rowsOf: (table: string) => Promise<readonly Row[]>): Promise<Dump> {
  const others: DumpedValue[] = []
  const passwordHashes: string[] = []
  const credentials = { tables: 0, rows: 0 }
  for (const table of tables) {
    const rows = await rowsOf(table)
    if (names.has(table)) {
      credentials.tables++
      credentials.rows += rows.length
      if (table === 'passwords') passwordHashes.push(...rows.map(({ hash }) => String(hash)))
      continue
    }
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        if (value !== null) others.push({ where: `${table}.${column}`, bytes: bytesOf(value) })
      }
    }
  }
  return { others, passwordHashes, credentials }
}

function bytesOf(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value)
  return Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value, bigintText) ?? ''))
}

function bigintText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
