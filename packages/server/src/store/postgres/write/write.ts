import { DatabaseError, type ClientBase, type Pool } from 'pg'
import type {
  CreateOperation,
  DeleteOperation,
  IndexedValues,
  StoredObject,
  UpdateOperation,
  WriteOperation,
  WriteOptions,
  WriteResult,
} from '../../store.ts'
import { StaleModel } from '../../stale-model.ts'
import { WriteConflict } from '../../write-conflict.ts'
import { orStaleModel, type Catalog, type OpenModel } from '../catalog.ts'
import { finishGuarded, holdGuards } from './guards.ts'
import { holdFence } from '../leases.ts'
import { isNoPartition } from '../changelog/log-partitions.ts'
import { compareOperations, kindOf } from '../../batch-order.ts'
import { setsBySlot } from '../../indexed-values.ts'
import {
  columnOf,
  hasUnique,
  keyOf,
  references,
  refersToItself,
  setTableOf,
  singles,
  tableOf,
  type IndexSlot,
} from '../../model-table.ts'
import { indexBuilding } from '../../index-build.ts'
import { buildingState, referredState } from '../references.ts'
import { binaryRows } from '../connection/named-client.ts'
import { createdAtOf, nameOf, storedObject, type ObjectRow } from '../object-row.ts'
import { uniqueNameOf } from '../table-sql.ts'
import { inTransaction } from './transaction.ts'
import { refusedValue } from './refused-value.ts'

type Queryable = Pick<ClientBase, 'query'>

/** A row that the update and delete statements return for each object they found. */
interface OutcomeRow extends Omit<ObjectRow, 'data'> {
  readonly outcome: 'uid' | 'version' | 'unchanged' | 'updated' | 'declared' | 'removed'
  /** Present only when the caller does not have the data. */
  readonly data: Buffer | null
}

export interface WriteParts {
  readonly pool: Pool
  readonly catalog: Catalog
  /** Creates the next partitions of the change log. */
  readonly makeRoom: () => Promise<void>
}

/** The newest id that a write in order has given to an object of each model. */
type NewestIds = Map<number, bigint>

/** Ids are milliseconds and a sequence that wraps: the ids of one write descend when it wraps within a millisecond. */
class DescendingIds extends Error {
  override readonly name = 'DescendingIds'
}

/** The targets of a create were missing, and are there now. */
class TargetsAppeared extends Error {
  override readonly name = 'TargetsAppeared'
}

const maxTries = 20
/** Deadlock and serialization failure. */
const tryAgain = new Set(['40P01', '40001'])

/**
 * Two batches can still compete for each other's unique values, and an object can change while a statement waits for it: a
 * write that the database aborts for that is retried.
 */
export async function write(
  parts: WriteParts,
  operations: readonly WriteOperation[],
  options: WriteOptions = {},
): Promise<readonly WriteResult[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await writeOnce(parts, operations, options)
    } catch (error) {
      const refused = error instanceof DatabaseError && tryAgain.has(error.code ?? '')
      const again = refused || error instanceof DescendingIds || error instanceof TargetsAppeared
      if (tries === maxTries || !(again || isNoPartition(error))) throw error
      if (!again) await parts.makeRoom()
    }
  }
}

/**
 * One statement and one round trip when all operations have one type and model; otherwise a transaction of such statements.
 */
async function writeOnce(
  parts: WriteParts,
  operations: readonly WriteOperation[],
  options: WriteOptions,
): Promise<readonly WriteResult[]> {
  const { fence, guards, also, inOrder, dryRun = false } = options
  const groups = inOrder ? groupInOrder(parts, operations) : groupByStatement(operations)
  const results = new Map<WriteOperation, WriteResult>()
  const newest: NewestIds | undefined = inOrder ? new Map() : undefined
  let running = operations
  const run = async (client: Queryable) => {
    for (const group of groups) {
      running = group.operations
      const answered = await runGroup(client, { catalog: parts.catalog, grouped: false, newest }, group)
      for (const [operation, result] of answered) results.set(operation, result)
    }
  }
  try {
    if (groups.length === 1 && !fence && !guards && !also && !dryRun) await run(parts.pool)
    else {
      const work = async (client: ClientBase) => {
        if (fence) await holdFence(client, fence)
        await holdGuards(client, parts.catalog, { ...options, operations })
        await run(client)
        await finishGuarded(client, parts.catalog, options)
      }
      await inTransaction(parts.pool, work, dryRun ? 'ROLLBACK' : 'COMMIT')
    }
  } catch (error) {
    throw await translate(error, parts, running)
  }
  return operations.map((operation) => {
    const result = results.get(operation)
    if (!result) throw new Error(`the database answered nothing for ${operation.type} of "${operation.name}"`)
    return result
  })
}

/**
 * Writes of several callers, all of one type and model. Returns results for operations that were done; one without a result was
 * not done and must be retried alone. When this throws, all must be.
 */
export async function writeTogether(
  parts: WriteParts,
  operations: readonly WriteOperation[],
): Promise<readonly (WriteResult | undefined)[]> {
  const [group] = groupByStatement(operations)
  if (!group) return []
  const answered = new Map(await runGroup(parts.pool, { catalog: parts.catalog, grouped: true }, group))
  return operations.map((operation) => answered.get(operation))
}

type Group =
  | { readonly type: 'create'; readonly operations: CreateOperation[] }
  | { readonly type: 'update'; readonly operations: UpdateOperation[] }
  | { readonly type: 'delete'; readonly operations: DeleteOperation[] }

/** Groups adjacent operations of one kind, in the fixed order of batches. */
function groupByStatement(operations: readonly WriteOperation[]): readonly Group[] {
  return groupAdjacent(operations.length === 1 ? operations : operations.toSorted(compareOperations), kindOf)
}

/**
 * The database checks unique values row by row, and the rows of one statement in any order; a reference is checked against what
 * earlier statements have left. So an operation on a model with a unique index, or whose objects refer to each other, gets a
 * statement of its own.
 */
function groupInOrder({ catalog }: WriteParts, operations: readonly WriteOperation[]): readonly Group[] {
  const groupOf = (operation: WriteOperation) => {
    const { table } = catalog.find(operation.model)
    const isAlone = hasUnique(table) || refersToItself(table)
    return isAlone ? `${kindOf(operation)} ${operation.name}` : kindOf(operation)
  }
  return groupAdjacent(operations, groupOf)
}

function groupAdjacent(
  operations: readonly WriteOperation[],
  groupOf: (operation: WriteOperation) => string,
): readonly Group[] {
  const groups: { key: string; type: WriteOperation['type']; operations: WriteOperation[] }[] = []
  for (const operation of operations) {
    const key = groupOf(operation)
    const last = groups.at(-1)
    if (last?.key === key) last.operations.push(operation)
    else groups.push({ key, type: operation.type, operations: [operation] })
  }
  return groups as unknown as Group[]
}

type GroupModel = OpenModel & { readonly grouped: boolean; readonly newest?: NewestIds | undefined }

type Answered = readonly (readonly [WriteOperation, WriteResult])[]

function runGroup(
  client: Queryable,
  { catalog, ...options }: { catalog: Catalog } & Pick<GroupModel, 'grouped' | 'newest'>,
  group: Group,
): Promise<Answered> {
  const [first] = group.operations
  if (!first) throw new Error('a batch has no operation')
  const model = { ...catalog.find(first.model), ...options }
  for (const operation of group.operations) assertEdition(model, operation)
  switch (group.type) {
    case 'create':
      return runCreates(client, model, group.operations)
    case 'update':
      return runUpdates(client, model, group.operations)
    case 'delete':
      return runDeletes(client, model, group.operations)
  }
}

/** The operation's values follow another edition than these indexes. */
function assertEdition({ table }: OpenModel, operation: WriteOperation): void {
  if (operation.type === 'delete' || operation.content.indexed === 'kept') return
  if ((operation.content.edition ?? 0) !== table.edition) throw new StaleModel(table)
}

type Verb = WriteOperation['type'] | 'updateKept'
type StatementName = keyof OpenModel['statements']

/** The statement for one operation or for several, with matching parameters. */
function statement(model: GroupModel, verb: Verb, columns: readonly (readonly unknown[])[]) {
  const single = columns[0]?.length === 1
  return query(model, single ? `${verb}One` : model.grouped ? `${verb}Grouped` : `${verb}Many`, columns)
}

/**
 * The statement for the common case. It may skip some operations, so they must be independent: one alone, or of several
 * callers.
 */
function quickStatement(model: GroupModel, verb: Exclude<Verb, 'create'>, columns: readonly (readonly unknown[])[]) {
  return query(model, columns[0]?.length === 1 ? `${verb}QuickOne` : `${verb}QuickMany`, columns)
}

function query({ table, statements }: OpenModel, form: StatementName, columns: readonly (readonly unknown[])[]) {
  return {
    name: `${form} ${table.id}.${table.edition}`,
    text: statements[form],
    values: form.endsWith('One') ? columns.map(([value]) => value) : [...columns],
    // A create returns numbers.
    ...(!form.startsWith('create') && binaryRows),
  }
}

async function runCreates(
  client: Queryable,
  model: GroupModel,
  operations: readonly CreateOperation[],
): Promise<Answered> {
  const columns = [
    operations.map(({ name }) => name),
    operations.map(({ uid }) => uid),
    operations.map(({ content }) => content.held),
    operations.map(({ content }) => content.storedAs),
    operations.map(({ content }) => withoutNul(content.data)),
    ...indexedColumns(
      model,
      operations.map(({ content }) => content.indexed),
    ),
  ]
  const { rows } = await client.query<{ name: string; id: string }>(statement(model, 'create', columns))
  if (model.newest) assertAscending(model.newest, model.table.id, rows)
  const createdAt = new Map(rows.map(({ name, id }) => [name, createdAtOf(id)]))
  const refused = operations.find(({ name }) => !createdAt.has(name))
  if (refused && !model.grouped) throw await missingTarget(client, model, refused)
  return operations.flatMap((operation) => {
    const { name, uid, content } = operation
    const { data, storedAs } = content
    const at = createdAt.get(name)
    if (at === undefined) return []
    const object = { name, uid, version: 0, generation: 1, createdAt: at, storedAs, data }
    return [[operation, { outcome: 'created', object }] as const]
  })
}

/** Reads again: a target may have been created since the statement began. */
async function missingTarget(client: Queryable, model: GroupModel, operation: CreateOperation): Promise<Error> {
  const { single, multi } = operation.content.indexed
  for (const index of references(model.table)) {
    const value = single[index.name]
    const names = index.multi ? (multi[index.name] ?? []) : value === undefined ? [] : [value]
    const { rows } = await client.query<{ name: string }>(
      `SELECT name FROM ${tableOf({ id: model.targets.get(keyOf(index.refersTo)) ?? 0 })} WHERE name = ANY($1) AND deleted_at IS NULL`,
      [names],
    )
    const found = new Set(rows.map(({ name }) => name))
    const isOwn = keyOf(index.refersTo) === keyOf(model.table)
    const missing = names.find((name) => !found.has(name) && !(isOwn && name === operation.name))
    if (missing !== undefined)
      return new WriteConflict('target', operation, { target: { index: index.name, name: missing } })
  }
  return new TargetsAppeared(`the targets of "${operation.name}" were created meanwhile`)
}

/** Within one statement, the statement itself checks the order. */
function assertAscending(newest: NewestIds, table: number, rows: readonly { readonly id: string }[]): void {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return
  if (BigInt(first.id) < (newest.get(table) ?? 0n)) throw new DescendingIds('the ids of the write descend')
  newest.set(table, BigInt(last.id))
}

async function runUpdates(
  client: Queryable,
  model: GroupModel,
  operations: readonly UpdateOperation[],
): Promise<Answered> {
  const kept = operations[0]?.content.indexed === 'kept'
  const columns = updateColumns(model, operations)
  const verb = kept ? 'updateKept' : 'update'
  const general = statement(model, verb, columns)
  const usual = mayBeQuick(model, operations) && (kept || operations.every(({ sameEntries }) => sameEntries))
  if (!usual) return matchOutcomes(operations, (await client.query<OutcomeRow>(general)).rows, updated)
  const { rows } = await client.query<OutcomeRow>(quickStatement(model, verb, columns))
  if (rows.length > 0 || operations.length > 1) return answerFound(operations, rows, updated)
  return matchOutcomes(operations, (await client.query<OutcomeRow>(general)).rows, updated)
}

function updated({ content, newGeneration }: UpdateOperation, row: OutcomeRow): StoredObject {
  const before = toStored(row, content.data)
  if (row.outcome === 'unchanged') return before
  const generation = before.generation + (newGeneration ? 1 : 0)
  return { ...before, version: before.version + 1, generation, storedAs: content.storedAs }
}

function updateColumns(model: GroupModel, operations: readonly UpdateOperation[]): readonly (readonly unknown[])[] {
  const indexed = operations.flatMap(({ content }) => (content.indexed === 'kept' ? [] : [content.indexed]))
  return [
    operations.map(({ name }) => name),
    operations.map(({ expected }) => expected.uid),
    operations.map(({ expected }) => expected.version),
    operations.map(({ content }) => content.held),
    operations.map(({ content }) => content.storedAs),
    operations.map(({ newGeneration }) => (newGeneration ? 1 : 0)),
    operations.map(({ content }) => withoutNul(content.data)),
    ...(indexed.length > 0 ? indexedColumns(model, indexed) : []),
  ]
}

async function runDeletes(
  client: Queryable,
  model: GroupModel,
  operations: readonly DeleteOperation[],
): Promise<Answered> {
  const now = Date.now()
  const columns = [
    operations.map(({ name }) => name),
    operations.map(({ expected }) => expected?.uid ?? null),
    operations.map(({ expected }) => expected?.version ?? null),
  ]
  const run = async (given: ReturnType<typeof query>) =>
    (await client.query<OutcomeRow>({ ...given, values: [...given.values, now] })).rows
  const deleted = (_operation: DeleteOperation, row: OutcomeRow) => {
    const stored = toStored(row)
    if (row.outcome === 'unchanged') return stored
    return { ...stored, version: stored.version + 1, deletedAt: stored.deletedAt ?? now }
  }
  if (mayBeQuick(model, operations)) {
    const rows = await run(quickStatement(model, 'delete', columns))
    if (rows.length > 0 || operations.length > 1) return answerFound(operations, rows, deleted)
  }
  return matchOutcomes(operations, await run(statement(model, 'delete', columns)), deleted)
}

function mayBeQuick({ grouped }: GroupModel, operations: readonly WriteOperation[]): boolean {
  return grouped || operations.length === 1
}

/** Results only for operations that were done; the batcher retries the others. */
function answerFound<T extends UpdateOperation | DeleteOperation>(
  operations: readonly T[],
  rows: readonly OutcomeRow[],
  stored: (operation: T, row: OutcomeRow) => StoredObject,
): Answered {
  const found = new Set(rows.map(nameOf))
  return matchOutcomes(
    operations.filter(({ name }) => found.has(name)),
    rows,
    stored,
  )
}

/** Applies nothing unless all operations succeed; throws for the first that fails. */
function matchOutcomes<T extends UpdateOperation | DeleteOperation>(
  operations: readonly T[],
  rows: readonly OutcomeRow[],
  stored: (operation: T, row: OutcomeRow) => StoredObject,
): Answered {
  const byName = new Map(rows.map((row) => [nameOf(row), row]))
  return operations.map((operation) => {
    const row = byName.get(operation.name)
    if (!row) throw new WriteConflict('missing', operation)
    const { outcome } = row
    if (outcome === 'uid' || outcome === 'version')
      throw new WriteConflict(outcome, operation, { stored: toStored(row) })
    return [operation, { outcome, object: stored(operation, row) }] as const
  })
}

function toStored({ owned, data: found }: OutcomeRow, data?: Buffer): StoredObject {
  return storedObject(owned, data ?? found ?? Buffer.alloc(0))
}

/** JSON never contains a NUL; an object with one could not be read. */
function withoutNul(data: Buffer): Buffer {
  if (data.includes(0)) throw new Error('the data of an object has a NUL byte')
  return data
}

/** Labels, sets and the single-value keys, each as an array over the operations. */
function indexedColumns({ table }: OpenModel, indexed: readonly IndexedValues[]): readonly (readonly unknown[])[] {
  return [
    indexed.map(({ labels }) => JSON.stringify(labels)),
    indexed.map(({ multi }) => JSON.stringify(setsBySlot(table, multi))),
    ...singles(table).map(({ name }) => indexed.map(({ single }) => single[name] ?? null)),
  ]
}

const uniqueViolation = '23505'

/** The error names the unique index that refused a value; a look-up finds the operation that brought the value. */
async function translate(error: unknown, parts: WriteParts, operations: readonly WriteOperation[]): Promise<unknown> {
  const [first] = operations
  if (!(error instanceof DatabaseError) || !first) return error
  if (error.code === referredState && error.message === 'referred') {
    const referred = operations.find(({ name }) => name === error.detail) ?? first
    return new WriteConflict('referred', referred)
  }
  if (error.code === buildingState && error.table !== undefined && error.column !== undefined) {
    return indexBuilding(error.table, error.column, undefined)
  }
  if (error.code !== uniqueViolation) return orStaleModel(error, first.model)
  const refused = refusedValue(error.detail ?? '')
  for (const operation of operations) {
    if (operation.type === 'delete') continue
    const { table } = parts.catalog.find(operation.model)
    if (error.constraint === `${tableOf(table)}_name`) {
      if (operation.type === 'create' && (refused ?? operation.name) === operation.name)
        return new WriteConflict('exists', operation)
      continue
    }
    for (const index of table.indexes) {
      if (uniqueNameOf(table, index) !== error.constraint) continue
      const { indexed } = operation.content
      if (indexed === 'kept') continue
      const values = index.multi ? (indexed.multi[index.name] ?? []) : [indexed.single[index.name]]
      const value = values.find(
        (candidate) => candidate !== undefined && (refused === undefined || candidate === refused),
      )
      if (value === undefined) continue
      const holder = await holderOf(parts, operation, { index, value })
      return new WriteConflict('duplicate', operation, {
        duplicate: { index: index.name, value, ...(holder !== undefined && { holder }) },
      })
    }
  }
  return error
}

async function holderOf(
  { pool, catalog }: WriteParts,
  { model }: WriteOperation,
  taken: { index: IndexSlot; value: string },
) {
  const { table } = catalog.find(model)
  const { index, value } = taken
  const sql = index.multi
    ? `SELECT m.name FROM ${setTableOf(table, index.slot)} s JOIN ${tableOf(table)} m USING (id) WHERE s.value = $1`
    : `SELECT name FROM ${tableOf(table)} WHERE ${columnOf(index.slot)} = $1`
  const { rows } = await pool.query<{ name: string }>(sql, [value])
  return rows[0]?.name
}
