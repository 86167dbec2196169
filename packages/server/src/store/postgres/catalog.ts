import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type ClientBase, type Pool } from 'pg'
import { keyOf, references, tableOf, type ModelTable, type TableLayout } from '../model-table.ts'
import { StaleModel } from '../stale-model.ts'
import type { ModelDeclaration, ModelKey } from '../store.ts'
import { changedTable, newTable, settled, unknownTarget, withoutTargets } from '../table-change.ts'
import { replaceCheck, targetsOf, type Referrer } from './references.ts'
import { addSlotsSql, createIndexSql, createTableSql, discardSql, missingBtrees } from './table-sql.ts'
import { inTransaction } from './write/transaction.ts'
import { currentEdition } from './connection/statement-form.ts'
import { writeStatements, type WriteStatements } from './write/write-sql.ts'

/** An open model: its tables and statements. */
export interface OpenModel {
  readonly table: ModelTable
  /** The value of `revised` when the catalog row was read; every change of the row increments it. */
  readonly revised: number
  /** The ids of the tables that the indexes refer to, by model. */
  readonly targets: ReadonlyMap<string, number>
  readonly statements: WriteStatements
  /** Names of the prepared page statements, by their text. */
  readonly keptPages: Map<string, string>
}

/** The models and their tables: the `models` table, and this process's cache of it. */
export interface Catalog {
  open(declaration: ModelDeclaration): Promise<void>
  /** Returns false when the model has objects. */
  close(model: ModelKey): Promise<boolean>
  /** Throws for a model that was not opened, which is a programming error. */
  find(model: ModelKey): OpenModel
  /** Reads an open model again; throws `StaleModel` when another declaration is in force. */
  refresh(model: ModelKey): Promise<OpenModel>
  /** The layout of a model in a generation, whether the model is open or not. */
  layout(id: number, generation: number): Promise<ModelKey & TableLayout>
  /** The layout if it is already cached. */
  knownLayout(id: number, generation: number): (ModelKey & TableLayout) | undefined
}

interface ModelRow {
  readonly id: number
  readonly edition: string
  readonly generation: number
  readonly revised: number
  readonly indexes: ModelTable['indexes']
  readonly composites: ModelTable['composites']
  readonly columns: ModelTable['columns']
  readonly discarded: ModelTable['discarded']
  readonly last_slot: number
}

const undefinedThings = new Set(['42883', '42P01'])

/**
 * Returns `StaleModel` if the error means that another declaration is in force: the function of the old edition is gone, or the
 * side table of a former index. Returns other errors unchanged.
 */
export function orStaleModel(error: unknown, model: ModelKey): unknown {
  if (!(error instanceof DatabaseError) || !undefinedThings.has(error.code ?? '')) return error
  return /\bm_\d+_(edition_\d+|s\d+)\b/.test(error.message) ? new StaleModel(model) : error
}

export function createCatalog(pool: Pool): Catalog {
  const models = new Map<string, OpenModel>()
  const layouts = new Map<string, ModelKey & TableLayout>()
  const find = (model: ModelKey) => {
    const found = models.get(keyOf(model))
    if (!found) throw new Error(`the model ${keyOf(model)} is not open`)
    return found
  }
  const keep = async (table: ModelTable, revised: number) => {
    const targets = await readTargets(pool, table)
    const statements = writeStatements(table, targets)
    const opened = { table, revised, targets, statements, keptPages: new Map<string, string>() }
    models.set(keyOf(table), opened)
    return opened
  }
  const refresh = async (model: ModelKey) => {
    const known = find(model)
    const row = await readRow(pool, model)
    if (!row || Number(row.edition) !== known.table.edition) throw new StaleModel(model)
    return row.revised === known.revised ? known : await keep(toTable(model, row), row.revised)
  }
  return {
    find,
    open: async (declaration) => {
      const { table, revised } =
        (await findUnchanged(pool, declaration)) ??
        (await patiently(() => inTransaction(pool, (client) => findOrCreate(client, declaration))))
      await keep(table, revised)
    },
    close: (model) => patiently(() => inTransaction(pool, (client) => closeTable(client, model))),
    refresh,
    knownLayout: (id, generation) => layouts.get(`${id}.${generation}`),
    layout: async (id, generation) => {
      const key = `${id}.${generation}`
      const layout = layouts.get(key) ?? (await readLayout(pool, id, generation))
      layouts.set(key, layout)
      return layout
    },
  }
}

/** Writes the catalog row; the caller must hold a lock on it or on the model's name. */
export async function saveTable(client: ClientBase, table: ModelTable): Promise<void> {
  await client.query(
    `UPDATE models SET edition = $2, generation = $3, revised = revised + 1, indexes = $4, composites = $5, columns = $6,
       discarded = $7, last_slot = $8 WHERE id = $1`,
    [table.id, table.edition, table.generation, ...jsonOf(table), table.lastSlot],
  )
}

/**
 * Returns the catalog row under a lock that keeps others from changing it, and from declaring or dropping references to its
 * targets, which are locked too, all in one order.
 */
export async function lockTable(
  client: ClientBase,
  model: ModelKey,
  targets: readonly ModelKey[],
): Promise<ModelTable | undefined> {
  const keys = [...new Set([model, ...targets].map(keyOf))].toSorted()
  for (const key of keys)
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1 || installation_scope(), 1))', [key])
  const row = await readRow(client, model)
  const table = row && toTable(model, row)
  if (table && targetsOf([table]).some((target) => !keys.includes(keyOf(target)))) throw new TargetsChanged()
  return table
}

/** The declaration was changed between reading and locking it. */
class TargetsChanged extends Error {
  override readonly name = 'TargetsChanged'
}

const lockTries = 100
/** Lock not available and deadlock. */
const tryAgain = new Set(['55P03', '40P01'])

/**
 * Writers queue behind a waiting table lock, so each wait is short and is retried often. Writers proceed between two attempts.
 */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isBusy = error instanceof DatabaseError && tryAgain.has(error.code ?? '')
      if (!(isBusy || error instanceof TargetsChanged) || tries === lockTries) throw error
      await sleep(20 + Math.random() * 80)
    }
  }
}

interface Found {
  readonly table: ModelTable
  readonly revised: number
}

/** The common case, without a lock: after a change of the model, all replicas reopen it at once. */
async function findUnchanged(pool: Pool, declaration: ModelDeclaration): Promise<Found | undefined> {
  const row = await readRow(pool, declaration)
  const table = row && toTable(declaration, row)
  return table && !changedTable(table, declaration) ? { table, revised: row.revised } : undefined
}

async function findOrCreate(client: ClientBase, declaration: ModelDeclaration): Promise<Found> {
  const known = await readTable(client, declaration)
  const table = await lockTable(client, declaration, targetsOf([declaration, ...(known ? [known] : [])]))
  if (!table) await create(client, declaration)
  const next = table && changedTable(table, declaration)
  if (table && next) await change(client, table, next)
  const row = await readRow(client, declaration)
  if (!row) throw new Error(`the catalog lost ${keyOf(declaration)}`)
  return { table: toTable(declaration, row), revised: row.revised }
}

async function create(client: ClientBase, declaration: ModelDeclaration): Promise<void> {
  const { group, plural } = declaration
  const draft = newTable(declaration, 0)
  await lockTargets(client, draft, targetsOf([draft]))
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO models (group_name, plural, edition, generation, indexes, composites, columns, discarded, last_slot)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
    [group, plural, draft.edition, draft.generation, ...jsonOf(draft), draft.lastSlot],
  )
  const table = { ...draft, id: rows[0]?.id ?? 0 }
  await client.query(createTableSql(table))
  await client.query(createEditionSql(table))
  await insertLayout(client, table)
  await replaceChecks(client, targetsOf([table]))
}

/**
 * Runs under a lock that excludes writers: earlier writers are done, later ones see the new edition and are refused unless they
 * follow it. An empty table gets its indexes immediately.
 */
async function change(client: ClientBase, table: ModelTable, next: ModelTable): Promise<void> {
  const targets = referencesIn(table) === referencesIn(next) ? [] : targetsOf([table, next])
  await lockTargets(client, table, targets)
  await lockOut(client, table)
  await client.query(`DROP FUNCTION ${currentEdition(table)}`)
  await client.query(createEditionSql(next))
  await saveTable(client, next.generation === table.generation ? next : await changeSlots(client, table, next))
  await replaceChecks(client, targets)
}

/** Returns the table as it is afterwards. */
async function changeSlots(client: ClientBase, table: ModelTable, next: ModelTable): Promise<ModelTable> {
  for (const sql of addSlotsSql(table, next)) await client.query(sql)
  await insertLayout(client, next)
  if (await hasObjects(client, table)) return next
  const ordering = missingBtrees(next).map((btree) => createIndexSql(btree, 'at once'))
  const discarding = next.discarded.flatMap((discarded) => discardSql(next, discarded))
  // The lock excludes all other writers, and CONCURRENTLY is not allowed in a transaction.
  const now = discarding.map((sql) => sql.replace(' CONCURRENTLY', ''))
  for (const sql of [...ordering, ...now]) await client.query(sql)
  return { ...settled(next), discarded: [] }
}

/** Takes the same lock, so that no writer can come between checking the table and closing it. */
async function closeTable(client: ClientBase, model: ModelKey): Promise<boolean> {
  const known = await readTable(client, model)
  const table = known && (await lockTable(client, model, targetsOf([known])))
  if (!table) return true
  await lockOut(client, table)
  if (await hasObjects(client, table)) return false
  if ((await readReferrers(client, table)).some(({ from }) => from.id !== table.id)) return false
  const next = withoutTargets({ ...table, edition: table.edition + 1 })
  await client.query(`DROP FUNCTION ${currentEdition(table)}`)
  await client.query(createEditionSql(next))
  await saveTable(client, next)
  await replaceChecks(client, targetsOf([table]))
  return true
}

const referencesIn = (table: ModelTable): string =>
  JSON.stringify(references(table).map(({ slot, ready, refersTo }) => [slot, ready, keyOf(refersTo)]))

/** Deletions from the targets that have not seen the new check are over before it holds. Reads go on. */
async function lockTargets(client: ClientBase, table: ModelKey, targets: readonly ModelKey[]): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '200ms'`)
  for (const target of targets) {
    if (keyOf(target) === keyOf(table)) continue
    const row = await readRow(client, target)
    if (!row) throw unknownTarget(table, target)
    await client.query(`LOCK TABLE ${tableOf(row)} IN SHARE ROW EXCLUSIVE MODE`)
  }
}

/** Lets deletions from these models check the references that the catalog has now. The caller holds their locks. */
export async function replaceChecks(client: ClientBase, targets: readonly ModelKey[]): Promise<void> {
  for (const target of targets) {
    const row = await readRow(client, target)
    if (row) await replaceCheck(client, row, await readReferrers(client, target))
  }
}

async function readReferrers(client: ClientBase, { group, plural }: ModelKey): Promise<readonly Referrer[]> {
  const { rows } = await client.query<ModelRow & { group_name: string; plural: string }>(
    'SELECT * FROM models WHERE indexes @> $1 ORDER BY id',
    [JSON.stringify([{ refersTo: { group, plural } }])],
  )
  return rows.flatMap(({ id, group_name, plural: of, indexes }) =>
    references({ indexes })
      .filter(({ refersTo }) => keyOf(refersTo) === keyOf({ group, plural }))
      .map((index) => ({ from: { id, group: group_name, plural: of }, index })),
  )
}

async function readTargets(pool: Pool, table: ModelTable): Promise<ReadonlyMap<string, number>> {
  const rows = await Promise.all(
    targetsOf([table]).map(async (target) => [keyOf(target), (await readRow(pool, target))?.id ?? 0] as const),
  )
  return new Map(rows)
}

async function readTable(client: ClientBase, model: ModelKey): Promise<ModelTable | undefined> {
  const row = await readRow(client, model)
  return row && toTable(model, row)
}

async function lockOut(client: ClientBase, table: ModelTable): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '200ms'`)
  await client.query(`LOCK TABLE ${tableOf(table)} IN ACCESS EXCLUSIVE MODE`)
}

async function hasObjects(client: ClientBase, table: ModelTable): Promise<boolean> {
  const { rows } = await client.query<{ used: boolean }>(`SELECT EXISTS (SELECT FROM ${tableOf(table)}) AS used`)
  return rows[0]?.used ?? false
}

/** An immutable function, which the planner replaces by its result. */
function createEditionSql(table: ModelTable): string {
  return `CREATE FUNCTION ${currentEdition(table)} RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'`
}

function jsonOf({ indexes, composites, columns, discarded }: ModelTable): readonly string[] {
  return [indexes, composites, columns, discarded].map((part) => JSON.stringify(part))
}

async function insertLayout(client: ClientBase, { id, generation, indexes, columns }: ModelTable): Promise<void> {
  await client.query('INSERT INTO model_layouts (model, generation, indexes, columns) VALUES ($1, $2, $3, $4)', [
    id,
    generation,
    JSON.stringify(indexes),
    JSON.stringify(columns),
  ])
}

async function readRow(client: Pick<ClientBase, 'query'>, { group, plural }: ModelKey): Promise<ModelRow | undefined> {
  const { rows } = await client.query<ModelRow>('SELECT * FROM models WHERE group_name = $1 AND plural = $2', [
    group,
    plural,
  ])
  return rows[0]
}

function toTable({ group, plural }: ModelKey, row: ModelRow): ModelTable {
  const { id, edition, generation, indexes, composites, columns, discarded, last_slot } = row
  const numbers = { id, edition: Number(edition), generation, lastSlot: last_slot }
  return { group, plural, ...numbers, indexes, composites, columns, discarded }
}

async function readLayout(pool: Pool, id: number, generation: number): Promise<ModelKey & TableLayout> {
  const { rows } = await pool.query<ModelKey & TableLayout>(
    `SELECT group_name AS group, plural, l.indexes, l.columns FROM models m JOIN model_layouts l ON l.model = m.id
     WHERE m.id = $1 AND l.generation = $2`,
    [id, generation],
  )
  const [row] = rows
  if (!row) throw new Error(`the catalog knows no generation ${generation} of model ${id}`)
  return row
}
