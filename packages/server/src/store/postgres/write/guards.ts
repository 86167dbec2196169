import type { ClientBase } from 'pg'
import { GuardFailed } from '../../guard-failed.ts'
import type { Guard, ModelKey, WriteOperation, WriteOptions } from '../../store.ts'
import { countersOf, counterUp } from '../../records/write-counters.ts'
import { tableOf } from '../../model-table.ts'
import type { Catalog } from '../catalog.ts'
import { createParameters } from '../parameters.ts'
import { idsQuery } from '../list/predicates.ts'

/**
 * Locks the objects that guards require and those that will be written, in one order for all writers. Otherwise two writers
 * that each require the other's object would deadlock until the database notices, a second later.
 */
export async function holdGuards(
  client: ClientBase,
  catalog: Catalog,
  { operations, inOrder, guards = [] }: WriteOptions & { readonly operations: readonly WriteOperation[] },
): Promise<void> {
  if (guards.length === 0 && !inOrder) return
  for (const guard of countersOf(guards)) {
    const { text, values } = counterUp(guard)
    const { rowCount } = await client.query(text, [...values])
    if (rowCount === 0) throw new GuardFailed(guard)
  }
  const written = operations.filter(({ type }) => type !== 'create')
  const there = guards.filter((guard) => guard.is === 'there')
  const targets = guards.filter((guard) => guard.is === 'target')
  // For one object, the stronger lock comes first: two writers that both hold the weaker one would deadlock.
  const locks = [...written, ...there, ...targets].toSorted((a, b) => compare(placeOf(a), placeOf(b)))
  for (let at = 0; at < locks.length;) {
    const same = sameKind(locks, at)
    at += same.length
    await hold(client, catalog, same)
  }
}

type Lock = WriteOperation | Extract<Guard, { is: 'there' | 'target' }>

/** The locks that one statement can take: many of one kind and model, or one that expects a state. */
function sameKind(locks: readonly Lock[], from: number): readonly [Lock, ...Lock[]] {
  const [first, ...others] = locks.slice(from)
  if (!first) throw new Error('there is nothing to lock')
  const kind = kindOf(first)
  if (kind === 'expected') return [first]
  const end = others.findIndex((lock) => kindOf(lock) !== kind || modelOf(lock) !== modelOf(first))
  return [first, ...others.slice(0, end === -1 ? others.length : end)]
}

const kindOf = (lock: Lock) =>
  !('is' in lock) ? 'written' : lock.is === 'target' ? 'target' : lock.expected === undefined ? 'there' : 'expected'
const modelOf = ({ model }: Lock): string => `${model.group}/${model.plural}`
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

async function hold(client: ClientBase, catalog: Catalog, locks: readonly [Lock, ...Lock[]]): Promise<void> {
  const [first] = locks
  if (!('is' in first)) return holdWritten(client, catalog, locks)
  if (first.is === 'there' && locks.length === 1) return holdThere(client, catalog, first)
  const names = [...new Set(locks.map(({ name }) => name))]
  const wanted =
    first.is === 'target' ? 'AND deleted_at IS NULL ORDER BY name FOR KEY SHARE' : 'ORDER BY name FOR SHARE'
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM ${tableOf(catalog.find(first.model).table)} WHERE name = ANY($1) ${wanted}`,
    [names],
  )
  const found = new Set(rows.map(({ name }) => name))
  const missing = locks.find(({ name }) => !found.has(name))
  if (missing && 'is' in missing) throw new GuardFailed(missing)
}

const placeOf = ({ model, name }: { readonly model: ModelKey; readonly name: string }) =>
  `${model.group}/${model.plural}/${name}`

async function holdWritten(client: ClientBase, catalog: Catalog, locks: readonly [Lock, ...Lock[]]): Promise<void> {
  const table = tableOf(catalog.find(locks[0].model).table)
  const names = locks.map(({ name }) => name)
  const lock = locks.some((one) => !('is' in one) && one.type === 'delete') ? 'FOR UPDATE' : 'FOR NO KEY UPDATE'
  await client.query(`SELECT FROM ${table} WHERE name = ANY($1) ORDER BY name ${lock}`, [names])
}

async function holdThere(client: ClientBase, catalog: Catalog, guard: Extract<Guard, { is: 'there' }>): Promise<void> {
  const { uid = null, version = null } = guard.expected ?? {}
  const { rowCount } = await client.query(
    `SELECT FROM ${tableOf(catalog.find(guard.model).table)}
     WHERE name = $1 AND uid = coalesce($2, uid) AND version = coalesce($3, version) FOR SHARE`,
    [guard.name, uid, version],
  )
  if (rowCount === 0) throw new GuardFailed(guard)
}

/** Runs the additional statements, then checks the guards that must hold after the operations. */
export async function finishGuarded(
  client: ClientBase,
  catalog: Catalog,
  { guards = [], also = [] }: WriteOptions,
): Promise<void> {
  for (const { text, values } of also) await client.query(text, [...values])
  for (const guard of guards) {
    if (guard.is === 'there' || guard.is === 'target' || guard.is === 'counted') continue
    const { text, values } = guard.is === 'no row' ? guard.statement : selecting(catalog, guard)
    const { rowCount } = await client.query(text, [...values])
    if (rowCount !== 0) throw new GuardFailed(guard)
  }
}

function selecting(catalog: Catalog, { model, where }: Extract<Guard, { is: 'none' }>) {
  const parameters = createParameters()
  const ids = idsQuery(catalog.find(model).table, where, parameters)
  if (ids === undefined) throw new Error('a guard needs a term that an index can answer')
  return { text: `${ids} LIMIT 1`, values: parameters.values }
}
