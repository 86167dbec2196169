import type { ClientBase } from 'pg'
import { GuardFailed } from '../guard-failed.ts'
import type { Guard, WriteOptions } from '../store.ts'
import { tableOf } from '../model-table.ts'
import type { Catalog } from './catalog.ts'
import { createParameters } from './parameters.ts'
import { driver } from './predicates.ts'

/** Locks what must be there until the transaction ends, in an order that all writers keep. */
export async function holdGuards(client: ClientBase, catalog: Catalog, { guards = [] }: WriteOptions): Promise<void> {
  const there = guards.filter((guard) => guard.is === 'there')
  for (const guard of there.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))) {
    const { uid = null, version = null } = guard.expected ?? {}
    const { rowCount } = await client.query(
      `SELECT FROM ${tableOf(catalog.find(guard.model).table)}
       WHERE name = $1 AND uid = coalesce($2, uid) AND version = coalesce($3, version) FOR SHARE`,
      [guard.name, uid, version],
    )
    if (rowCount === 0) throw new GuardFailed(guard)
  }
}

const placeOf = ({ model, name }: Extract<Guard, { is: 'there' }>) => `${model.group}/${model.plural}/${name}`

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
