import SqliteDatabase from 'better-sqlite3'
import { alreadyExists } from '../already-exists.ts'
import { toPage } from '../page.ts'
import type { ListQuery, ModelKey, Store, StoredObject, StoredPage, WriteOperation } from '../store.ts'

const schema = `
  CREATE TABLE IF NOT EXISTS objects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- creation order, never reused
    model TEXT NOT NULL,
    name TEXT NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (model, name)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS objects_newest ON objects (model, id);
`

interface Row {
  readonly id: number
  readonly name: string
  readonly data: Buffer
}

/** One file, one process: the file stays locked for as long as the store is open. */
export function openSqliteStore(file: string): Store {
  const database = openExclusively(file)
  const insert = database.prepare<[string, string, Buffer]>('INSERT INTO objects (model, name, data) VALUES (?, ?, ?)')
  const select = database.prepare<[string, string], Row>(
    'SELECT id, name, data FROM objects WHERE model = ? AND name = ?',
  )
  const count = database.prepare<[string], { total: number }>('SELECT count(*) AS total FROM objects WHERE model = ?')
  const page = database.prepare<[string, string, number, number], Row>(
    'SELECT id, name, data FROM objects WHERE model = ? AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?',
  )

  const write = database.transaction((operations: readonly WriteOperation[]): StoredObject[] =>
    operations.map((operation) => {
      const { model, name, bytes } = operation
      try {
        insert.run(keyOf(model), name, bytes)
      } catch (error) {
        if (isUniqueViolation(error)) throw alreadyExists(operation, error)
        throw error
      }
      return { name, bytes }
    }),
  )

  const list = database.transaction((model: ModelKey, query: ListQuery): StoredPage => {
    const total = count.get(keyOf(model))?.total ?? 0
    const rows = page.all(
      keyOf(model),
      query.after ?? String(Number.MAX_SAFE_INTEGER),
      query.limit + 1,
      query.offset ?? 0,
    )
    return toPage(
      rows.map(({ id, name, data }) => ({ id: String(id), name, bytes: data })),
      total,
      query,
    )
  })

  return {
    description: `SQLite ${file}`,
    write: async (operations) => write.immediate(operations),
    get: async (model, name) => {
      const row = select.get(keyOf(model), name)
      return row && { name: row.name, bytes: row.data }
    },
    list: async (model, query) => list(model, query),
    ping: async () => {
      database.prepare('SELECT 1').get()
    },
    [Symbol.asyncDispose]: async () => {
      database.close()
    },
  }
}

/** WAL with exclusive locking: the first read takes a lock that lasts until close, so a second process fails here. */
function openExclusively(file: string): SqliteDatabase.Database {
  const database = new SqliteDatabase(file, { timeout: 0 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.exec(schema)
    return database
  } catch (error) {
    database.close()
    if (error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new Error(`the SQLite file ${file} is in use by another process; stop it, or use PostgreSQL for several`, {
        cause: error,
      })
    }
    throw error
  }
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
}

function keyOf(model: ModelKey): string {
  return `${model.group}/${model.plural}`
}
