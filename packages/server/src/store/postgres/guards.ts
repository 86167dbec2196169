import type { ClientBase } from 'pg'
import { GuardFailed } from '../guard-failed.ts'
import type { Guard, ModelKey, WriteOperation, WriteOptions } from '../store.ts'
import { tableOf } from '../model-table.ts'
import type { Catalog } from './catalog.ts'
import { createParameters } from './parameters.ts'
import { driver } from './predicates.ts'

/**
 * Locks what must be there, and with it what is going to be written, in one order that all writers keep: else two who each
 * need the other to stay would wait for each other until the database notices, a second later.
 */
export async function holdGuards(
  client: ClientBase,
  catalog: Catalog,
  { operations, guards = [] }: WriteOptions & { readonly operations: readonly WriteOperation[] },
): Promise<void> {
  if (guards.length === 0) return
  const written = operations.filter(({ type }) => type !== 'create')
  const there = guards.filter((guard) => guard.is === 'there')
  const locks = [...written, ...there].toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  for (const lock of locks) await ('is' in lock ? holdThere(client, catalog, lock) : holdWritten(client, catalog, lock))
}

const placeOf = ({ model, name }: { readonly model: ModelKey; readonly name: string }) =>
  `${model.group}/${model.plural}/${name}`

async function holdWritten(client: ClientBase, catalog: Catalog, { model, name }: WriteOperation): Promise<void> {
  await client.query(`SELECT FROM ${tableOf(catalog.find(model).table)} WHERE name = $1 FOR UPDATE`, [name])
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

/** Runs what goes with the operations, and looks at what must not be there behind them. */
export async function finishGuarded(
  client: ClientBase,
  catalog: Catalog,
  { guards = [], also = [] }: WriteOptions,
): Promise<void> {
  for (const { text, values } of also) await client.query(text, [...values])
  for (const guard of guards) {
    if (guard.is === 'there') continue
    const { text, values } = guard.is === 'no row' ? guard.statement : selecting(catalog, guard)
    const { rowCount } = await client.query(text, [...values])
    if (rowCount !== 0) throw new GuardFailed(guard)
  }
}

function selecting(catalog: Catalog, { model, where }: Extract<Guard, { is: 'none' }>) {
  const parameters = createParameters()
  const ids = driver(catalog.find(model).table, where, parameters)
  if (ids === undefined) throw new Error('a guard selects by what is not there')
  return { text: `${ids} LIMIT 1`, values: parameters.values }
}
