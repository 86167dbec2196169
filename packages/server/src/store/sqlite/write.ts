import SqliteDatabase from 'better-sqlite3'
import { compareOperations } from '../batch-order.ts'
import type {
  CreateOperation,
  DeleteOperation,
  UpdateOperation,
  WriteOperation,
  WriteOptions,
  WriteResult,
} from '../store.ts'
import { StaleModel } from '../stale-model.ts'
import { WriteConflict } from '../write-conflict.ts'
import type { Catalog, OpenModel } from './catalog.ts'
import type { ChangeLog } from './changes.ts'
import { checkBefore, finishGuarded } from './guards.ts'
import type { Leases } from './leases.ts'
import type { ObjectIds } from './object-ids.ts'
import { contentColumns, keysOf, toStoredObject, updatedColumns, type ObjectRow } from './object-row.ts'
import { moveLabels, moveSets } from './side-tables.ts'

export interface WriteParts {
  readonly database: SqliteDatabase.Database
  readonly catalog: Catalog
  readonly ids: ObjectIds
  readonly log: ChangeLog
  readonly leases: Leases
}

export type Write = (operations: readonly WriteOperation[], options: WriteOptions) => readonly WriteResult[]

/** Thrown to roll back a dry run. */
class DryRun extends Error {
  readonly results: readonly WriteResult[]

  constructor(results: readonly WriteResult[]) {
    super('a dry run')
    this.results = results
  }
}

/** One transaction per batch; an operation that throws rolls all of them back. */
export function createWrite(parts: WriteParts): Write {
  const run = parts.database.transaction((operations: readonly WriteOperation[], options: WriteOptions) => {
    const { fence, dryRun = false } = options
    if (fence) parts.leases.assertHeld(fence)
    checkBefore(parts.database, parts.catalog, options)
    const results: WriteResult[] = []
    const given = [...operations.entries()]
    const ordered = options.inOrder ? given : given.toSorted(([, a], [, b]) => compareOperations(a, b))
    for (const [at, operation] of ordered) results[at] = perform(parts, operation)
    finishGuarded(parts.database, parts.catalog, options)
    if (dryRun) throw new DryRun(results)
    return results
  })
  return (operations, options) => {
    try {
      return run.immediate(operations, options)
    } catch (error) {
      if (error instanceof DryRun) return error.results
      throw error
    }
  }
}

function perform(parts: WriteParts, operation: WriteOperation): WriteResult {
  const model = parts.catalog.find(operation.model)
  // The operation's values follow another edition than these indexes.
  const follows = operation.type !== 'delete' && operation.content.indexed !== 'kept' ? operation.content : undefined
  if (follows && (follows.edition ?? 0) !== model.table.edition) throw new StaleModel(model.table)
  if (operation.type === 'create') return create(parts, model, operation)
  if (operation.type === 'update') return update(parts, model, operation)
  return remove(parts, model, operation)
}

function create(parts: WriteParts, model: OpenModel, operation: CreateOperation): WriteResult {
  const { name, uid, content } = operation
  const id = parts.ids.next()
  const columns = contentColumns(model.table, content)
  const after: ObjectRow = { ...columns, id, name, uid, version: 0, generation: 1, deleted_at: null }
  return store(parts, model, { operation, outcome: 'created', after })
}

function update(parts: WriteParts, model: OpenModel, operation: UpdateOperation): WriteResult {
  const { content, newGeneration } = operation
  const before = expectedRow(model, operation)
  if (before.data.equals(content.data) && before.held === Number(content.held)) return unchanged(before)
  const after = {
    ...before,
    ...updatedColumns(model.table, content),
    version: before.version + 1,
    generation: before.generation + Number(newGeneration),
  }
  const outcome = before.deleted_at !== null && !content.held ? 'removed' : 'updated'
  return store(parts, model, { operation, outcome, before, after })
}

function remove(parts: WriteParts, model: OpenModel, operation: DeleteOperation): WriteResult {
  const before = expectedRow(model, operation)
  if (before.held && before.deleted_at !== null) return unchanged(before)
  const after = { ...before, version: before.version + 1, deleted_at: before.deleted_at ?? Date.now() }
  return store(parts, model, { operation, outcome: before.held ? 'declared' : 'removed', before, after })
}

/** The stored row, if it is the one that the operation expects. */
function expectedRow({ statements }: OpenModel, operation: UpdateOperation | DeleteOperation): ObjectRow {
  const { name, expected = {} } = operation
  const row = statements.byName.get(name)
  if (!row) throw new WriteConflict('missing', operation)
  const conflict = (kind: 'uid' | 'version') => new WriteConflict(kind, operation, { stored: toStoredObject(row) })
  if (expected.uid !== undefined && expected.uid !== row.uid) throw conflict('uid')
  if (expected.version !== undefined && expected.version !== row.version) throw conflict('version')
  return row
}

function unchanged(row: ObjectRow): WriteResult {
  return { outcome: 'unchanged', object: toStoredObject(row) }
}

interface Step {
  readonly operation: WriteOperation
  readonly outcome: Exclude<WriteResult['outcome'], 'unchanged'>
  readonly before?: ObjectRow
  readonly after: ObjectRow
}

function store(parts: WriteParts, model: OpenModel, step: Step): WriteResult {
  const { operation, outcome, before, after } = step
  try {
    storeRows(model, step)
  } catch (error) {
    const { SqliteError } = SqliteDatabase
    const refused = error instanceof SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')
    throw (refused && conflictOf(model, operation, after.id)) || error
  }
  if (outcome === 'created' || outcome === 'updated') model.checks.assertTargets(operation, { before, after })
  else model.checks.assertUnreferred(operation, after)
  parts.log.append({ model: model.table, before, after, removed: outcome === 'removed' })
  return { outcome, object: toStoredObject(after) }
}

function storeRows({ table, statements }: OpenModel, { outcome, before, after }: Step): void {
  switch (outcome) {
    case 'created':
      statements.insert.run(after)
      break
    case 'updated': {
      const sameKeys = before !== undefined && keysOf(table, before) === keysOf(table, after)
      ;(sameKeys ? statements.updateKeepingKeys : statements.update).run(after)
      break
    }
    case 'declared':
      statements.declare.run(after)
      break
    case 'removed':
      statements.remove.run(after)
      break
  }
  const left = outcome === 'removed' ? undefined : after
  moveLabels(statements, after.id, { from: before?.labels, to: left?.labels })
  moveSets(statements, after.id, { from: before?.sets, to: left?.sets })
}

/** Finds which value of the operation was a duplicate, by looking for its holder. */
function conflictOf({ statements }: OpenModel, operation: WriteOperation, id: number): WriteConflict | undefined {
  if (operation.type === 'delete') return undefined
  const namesake = statements.byName.get(operation.name)
  if (namesake && namesake.id !== id) return new WriteConflict('exists', operation)
  const { indexed } = operation.content
  if (indexed === 'kept') return undefined
  const { single, multi } = indexed
  for (const { index, holder } of statements.unique) {
    const values = index.multi ? (multi[index.name] ?? []) : [single[index.name]]
    for (const value of values) {
      const held = value === undefined ? undefined : holder.get(value, id)
      if (value === undefined || !held) continue
      return new WriteConflict('duplicate', operation, {
        duplicate: { index: index.name, value, holder: held.name },
      })
    }
  }
  return undefined
}
