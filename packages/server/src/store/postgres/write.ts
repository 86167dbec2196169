import { DatabaseError, type ClientBase, type Pool } from 'pg'
import type {
  CreateOperation,
  DeleteOperation,
  Lease,
  StoredObject,
  UpdateOperation,
  WriteOperation,
  WriteResult,
} from '../store.ts'
import { WriteConflict } from '../write-conflict.ts'
import type { Catalog, OpenModel } from './catalog.ts'
import { holdFence } from './leases.ts'
import { compareOperations, kindOf } from '../batch-order.ts'
import { setsBySlot } from '../indexed-values.ts'
import { columnOf, setTableOf, singles, tableOf, type IndexSlot } from '../model-table.ts'
import { toStoredObject } from './object-row.ts'
import { inTransaction } from './transaction.ts'

type Queryable = Pick<ClientBase, 'query'>

/** What the update and remove statements answer for each object they found. */
interface OutcomeRow {
  readonly name: string
  readonly outcome: 'uid' | 'version' | 'entries' | 'unchanged' | 'updated' | 'declared' | 'removed'
  readonly uid: string
  readonly version: string
  readonly generation: string
  readonly created_at: string
  readonly deleted_at: string | null
  readonly stored_as: string
  readonly data: Buffer | null
}

export interface WriteParts {
  readonly pool: Pool
  readonly catalog: Catalog
}

export interface WriteOptions {
  readonly fence?: Lease | undefined
  /** The operations come from several callers. */
  readonly grouped?: boolean
}

/** One statement and one round trip when all operations are of one kind and model; else a transaction of such statements. */
export async function write(
  parts: WriteParts,
  operations: readonly WriteOperation[],
  { fence, grouped = false }: WriteOptions = {},
): Promise<readonly WriteResult[]> {
  const groups = groupByStatement(operations)
  const target = { catalog: parts.catalog, grouped }
  const results = new Map<WriteOperation, WriteResult>()
  const run = async (client: Queryable) => {
    for (const group of groups) {
      for (const [operation, result] of await runGroup(client, target, group)) results.set(operation, result)
    }
  }
  try {
    if (groups.length === 1 && !fence) await run(parts.pool)
    else {
      await inTransaction(parts.pool, async (client) => {
        if (fence) await holdFence(client, fence)
        await run(client)
      })
    }
  } catch (error) {
    throw await translate(error, parts, operations)
  }
  return operations.map((operation) => {
    const result = results.get(operation)
    if (!result) throw new Error(`the database answered nothing for ${operation.type} of "${operation.name}"`)
    return result
  })
}

type Group =
  | { readonly type: 'create'; readonly operations: CreateOperation[] }
  | { readonly type: 'update'; readonly operations: UpdateOperation[] }
  | { readonly type: 'delete'; readonly operations: DeleteOperation[] }

/** Groups in the fixed order of batches, and sorted inside. */
function groupByStatement(operations: readonly WriteOperation[]): readonly Group[] {
  const [only] = operations
  if (only && operations.length === 1) return [{ type: only.type, operations: [only] } as Group]
  const groups = Map.groupBy(operations.toSorted(compareOperations), kindOf)
  return [...groups.values()].map((group) => ({ type: group[0]?.type, operations: group })) as Group[]
}

type GroupModel = OpenModel & { readonly grouped: boolean }

type Answered = readonly (readonly [WriteOperation, WriteResult])[]

function runGroup(
  client: Queryable,
  { catalog, grouped }: { catalog: Catalog; grouped: boolean },
  group: Group,
): Promise<Answered> {
  const [first] = group.operations
  if (!first) throw new Error('a batch has no operation')
  const model = { ...catalog.find(first.model), grouped }
  switch (group.type) {
    case 'create':
      return runCreates(client, model, group.operations)
    case 'update':
      return runUpdates(client, model, group.operations)
    case 'delete':
      return runDeletes(client, model, group.operations)
  }
}

type StatementName = keyof OpenModel['statements']

/** The statement for one operation or for several, with parameters that fit it. */
function statement(model: GroupModel, verb: 'create' | 'update' | 'delete', columns: readonly (readonly unknown[])[]) {
  const { table, statements, grouped } = model
  const single = columns[0]?.length === 1
  const form: StatementName = single ? `${verb}One` : grouped ? `${verb}Grouped` : `${verb}Many`
  return {
    name: `${form} ${table.id}.${table.generation}`,
    text: statements[form],
    values: single ? columns.map(([value]) => value) : [...columns],
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
    ...contentColumns(model, operations),
  ]
  const { rows } = await client.query<{ name: string; created_at: string }>(statement(model, 'create', columns))
  const createdAt = new Map(rows.map((row) => [row.name, Number(row.created_at)]))
  return operations.map((operation) => {
    const { name, uid, content } = operation
    const { data, storedAs } = content
    const object = { name, uid, version: 0, generation: 1, createdAt: createdAt.get(name) ?? 0, storedAs, data }
    return [operation, { outcome: 'created', object }]
  })
}

async function runUpdates(
  client: Queryable,
  model: GroupModel,
  operations: readonly UpdateOperation[],
): Promise<Answered> {
  const [held, storedAs, ...rest] = contentColumns(model, operations)
  const columns = [
    operations.map(({ name }) => name),
    operations.map(({ expected }) => expected.uid),
    operations.map(({ expected }) => expected.version),
    held,
    storedAs,
    operations.map(({ newGeneration }) => (newGeneration ? 1 : 0)),
    ...rest,
  ]
  const full = statement(model, 'update', columns)
  const [only] = operations
  const slim = operations.length === 1 && only?.sameEntries === true
  const same = {
    ...full,
    name: `updateSame ${model.table.id}.${model.table.generation}`,
    text: model.statements.updateSame,
  }
  let { rows } = await client.query<OutcomeRow>(slim ? same : full)
  if (rows[0]?.outcome === 'entries') ({ rows } = await client.query<OutcomeRow>(full))
  return matchOutcomes(operations, rows, ({ content, newGeneration }, row) => {
    const before = toStored(row, content.data)
    if (row.outcome === 'unchanged') return before
    const generation = before.generation + (newGeneration ? 1 : 0)
    return { ...before, version: before.version + 1, generation, storedAs: content.storedAs }
  })
}

async function runDeletes(
  client: Queryable,
  model: GroupModel,
  operations: readonly DeleteOperation[],
): Promise<Answered> {
  const now = Date.now()
  const query = statement(model, 'delete', [
    operations.map(({ name }) => name),
    operations.map(({ expected }) => expected?.uid ?? null),
    operations.map(({ expected }) => expected?.version ?? null),
  ])
  const { rows } = await client.query<OutcomeRow>({ ...query, values: [...query.values, now] })
  return matchOutcomes(operations, rows, (_operation, row) => {
    const stored = toStored(row)
    if (row.outcome === 'unchanged') return stored
    return { ...stored, version: stored.version + 1, deletedAt: stored.deletedAt ?? now }
  })
}

/** Nothing was applied unless every operation could be, so the first that could not is thrown. */
function matchOutcomes<T extends UpdateOperation | DeleteOperation>(
  operations: readonly T[],
  rows: readonly OutcomeRow[],
  stored: (operation: T, row: OutcomeRow) => StoredObject,
): Answered {
  const byName = new Map(rows.map((row) => [row.name, row]))
  return operations.map((operation) => {
    const row = byName.get(operation.name)
    if (!row) throw new WriteConflict('missing', operation)
    const { outcome } = row
    if (outcome === 'entries') throw new Error('a full update asked for a full update')
    if (outcome === 'uid' || outcome === 'version')
      throw new WriteConflict(outcome, operation, { stored: toStored(row) })
    return [operation, { outcome, object: stored(operation, row) }] as const
  })
}

function toStored(row: OutcomeRow, data = row.data ?? Buffer.alloc(0)): StoredObject {
  return toStoredObject({ ...row, data })
}

/** held, stored as, labels, sets, data and the single-value keys, each as an array over the operations. */
function contentColumns(
  { table }: OpenModel,
  operations: readonly (CreateOperation | UpdateOperation)[],
): [unknown[], unknown[], ...unknown[][]] {
  const contents = operations.map(({ content }) => content)
  return [
    contents.map(({ held }) => held),
    contents.map(({ storedAs }) => storedAs),
    contents.map(({ indexed }) => JSON.stringify(indexed.labels)),
    contents.map(({ indexed }) => JSON.stringify(setsBySlot(table, indexed.multi))),
    contents.map(({ data }) => data),
    ...singles(table).map(({ name }) => contents.map(({ indexed }) => indexed.single[name] ?? null)),
  ]
}

/** A unique index that refused a value names itself in the error; which operation brought the value is looked up. */
async function translate(error: unknown, parts: WriteParts, operations: readonly WriteOperation[]): Promise<unknown> {
  const uniqueViolation = '23505'
  if (!(error instanceof DatabaseError) || error.code !== uniqueViolation) return error
  const [, refused] = /=\(([\s\S]*)\) already exists/.exec(error.detail ?? '') ?? []
  for (const operation of operations) {
    if (operation.type === 'delete') continue
    const { table } = parts.catalog.find(operation.model)
    if (error.constraint === `${tableOf(table)}_name`) {
      if (operation.type === 'create' && (refused ?? operation.name) === operation.name)
        return new WriteConflict('exists', operation)
      continue
    }
    for (const index of table.indexes) {
      const constraint = index.multi ? `${setTableOf(table, index.slot)}_key` : `${tableOf(table)}_u${index.slot}`
      if (constraint !== error.constraint) continue
      const { indexed } = operation.content
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
