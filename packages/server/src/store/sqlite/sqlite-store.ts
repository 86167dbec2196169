import { closeSync, existsSync, openSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import { fieldsIn, indexBuilding, missingIndexes } from '../index-build.ts'
import { defaultCandidateLimit } from '../list-selection.ts'
import { ownerOnly } from '../new-file.ts'
import { usableNumber } from '../schema-version.ts'
import { sql } from '../sql.ts'
import type { ModelKey, Store } from '../store.ts'
import { createIndexFiller } from './build-indexes.ts'
import { cannotOpen } from './cannot-open.ts'
import { createCatalog } from './catalog.ts'
import { createChangeLog } from './changes.ts'
import { createCompact } from './compact.ts'
import { serveCopies } from './copies.ts'
import { runSql } from './guards.ts'
import { createLeases } from './leases.ts'
import { createList } from './list.ts'
import { createObjectIds } from './object-ids.ts'
import { toStoredObject } from './object-row.ts'
import type { PlanOptions } from './plan.ts'
import { countDangling, countValues, getMany } from './related.ts'
import { createLogReaders } from './read-changes.ts'
import { migrate, migrations, readSchema } from './migrate.ts'
import { createWrite } from './write.ts'

export interface SqliteOptions extends Partial<PlanOptions> {
  /** The id of the replica that opens the store, recorded with its leases. */
  readonly replica?: string | undefined
}

/** One file, one process: the file stays locked while the store is open. */
export function openSqliteStore(
  file: string,
  { candidateLimit = defaultCandidateLimit, replica }: SqliteOptions = {},
): Store {
  const database = openExclusively(file)
  const catalog = createCatalog(database)
  const log = createChangeLog(database, catalog)
  const leases = createLeases(database, replica)
  const readers = createLogReaders(log)
  const write = createWrite({ database, catalog, ids: createObjectIds(database), log, leases })
  const list = createList({ database, log, candidateLimit })
  const builder = createIndexFiller(database, catalog)
  const compact = createCompact(database)
  const copies = serveCopies(database, file)
  const ready = (model: ModelKey, fields: readonly string[]) => {
    const opened = catalog.find(model)
    const [missing] = missingIndexes(opened.table, fields)
    if (missing !== undefined) throw indexBuilding(opened.table.plural, missing, builder.progress(model))
    return opened
  }

  return {
    description: `SQLite ${file}`,
    details: () => '',
    ping: async () => {
      database.prepare('SELECT 1').get()
    },
    schemaNumber: async () => usableNumber(readSchema(database), migrations),
    openModel: async (declaration) => catalog.open(declaration),
    closeModel: async (model) => catalog.close(model),
    buildIndexes: (model, options) => builder.build(model, options),
    indexBuild: async (model) => builder.progress(model),
    write: async (operations, options = {}) => {
      const results = write(operations, options)
      readers.wake()
      return results
    },
    [sql]: async (statement) => runSql(database, statement),
    get: async (model, name) => {
      const row = catalog.find(model).statements.byName.get(name)
      return row && toStoredObject(row)
    },
    getMany: async (model, names, maxBytes) => getMany(catalog.find(model), names, maxBytes),
    countValues: async (model, wanted) => countValues(database, ready(model, [wanted.index]), wanted),
    countDangling: async (model, index) =>
      countDangling(database, ready(model, [index]), { index, targetOf: (key) => catalog.find(key) }),
    list: async (model, query) => list(ready(model, fieldsIn(query)), query),
    head: async () => log.head(),
    readChanges: (after, options) => readers.readChanges(after, options),
    compact,
    acquireLease: async (name, options) => leases.acquire(name, options),
    releaseLease: async (lease) => leases.release(lease),
    heldLeases: async (prefix) => leases.held(prefix),
    [Symbol.asyncDispose]: async () => {
      copies[Symbol.dispose]()
      readers.close()
      database.close()
    },
  }
}

/** WAL with exclusive locking: the first read takes a lock that lasts until close, so a second process fails here. */
function openExclusively(file: string): SqliteDatabase.Database {
  let database: SqliteDatabase.Database | undefined
  try {
    if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', ownerOnly))
    database = new SqliteDatabase(file, { timeout: 0 })
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    migrate(database)
    return database
  } catch (error) {
    database?.close()
    throw cannotOpen(file, error)
  }
}
