import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import type { RoleDefinition } from '../../packages/server/src/access/decisions/role-graph.ts'
import { systemClock } from '../../packages/server/src/base/clock.ts'
import type { UserCaller } from '../../packages/server/src/call/call.ts'
import { createOperation } from '../../packages/server/src/models/verbs/create.ts'
import { indexedObject } from '../../packages/server/src/models/indexed-object.ts'
import type { JsonObject } from '../../packages/server/src/models/object.ts'
import { declarationOf, type Model } from '../../packages/server/src/models/model.ts'
import { toData } from '../../packages/server/src/models/object-bytes.ts'
import { builtInRoles } from '../../packages/server/src/access/built-in-roles.ts'
import { createAccessModels } from '../../packages/server/src/access/access-models.ts'
import { noRights } from '../../packages/server/src/access/rights.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { createDice, randomRoles, roleCount } from './policy.ts'

export interface CrowdModels {
  readonly roles: Model
  readonly bindings: Model
  readonly users: Model
}

export const crowdRoles: readonly RoleDefinition[] = randomRoles(createDice(20))

export const roleNameOf = (at: number): string => `role-${(at * 7919) % roleCount}`

/** A user by number. */
export function callerOf(at: number): UserCaller {
  const name = userNameOf(at)
  const digest = createHash('md5').update(name).digest('hex')
  const uid = digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { kind: 'user', name, uid, via: 'token' }
}

const userNameOf = (at: number): string => `user-${String(at).padStart(7, '0')}`

/** The models of the server. Only writes need access decisions, and there are none. */
export async function openCrowdModels(store: Store): Promise<CrowdModels> {
  const { roles, bindings, users } = createAccessModels({ store, clock: systemClock, rights: noRights })
  for (const model of [roles, bindings, users]) await store.openModel(declarationOf(model))
  return { roles, bindings, users }
}

/** Inserts a thousand roles and the given number of users with one binding each, directly in the format of the store. */
export async function loadCrowd(
  store: Store,
  pool: Pool,
  models: CrowdModels & { readonly count: number },
): Promise<void> {
  const { roles, bindings, users, count } = models
  const stored = [...builtInRoles, ...crowdRoles]
  const operations = stored.map(({ name, rules }) =>
    createOperation({ clock: systemClock }, roles, { metadata: { name }, rules }),
  )
  await store.write(await Promise.all(operations))
  await copy(pool, users, { count, object: { metadata: {}, spec: { disabled: false } }, name: 'at.user' })
  const subjects = [{ apiGroup: '', kind: 'User', name: placeOf('user') }]
  const binding = { metadata: {}, roleRef: { apiGroup: '', kind: 'Role', name: placeOf('role') }, subjects }
  await copy(pool, bindings, { count, object: binding, name: "'of-' || at.user" })
  await pool.query('VACUUM ANALYZE')
  await pool.query('CHECKPOINT')
}

interface Copies {
  readonly count: number
  /** Template of each object, with placeholders. */
  readonly object: JsonObject
  /** Column expressions in SQL. */
  readonly name: string
}

/** Placeholder for the user or role of a copy; a unique text. */
const placeOf = (what: 'user' | 'role'): string => `<${what}>`

async function copy(pool: Pool, model: Model, { count, object, name }: Copies): Promise<void> {
  const { table, slots } = await tableOf(pool, model)
  const { indexed } = indexedObject(model, object)
  const filled = (text: string) => `replace(replace(${quoted(text)}, '<user>', at.user), '<role>', at.role)`
  const keys = Object.entries(indexed.single).map(([index, key]) => [`ix_${slots.get(index)}`, filled(key ?? '')])
  const sets = Object.entries(indexed.multi).map(([index, values]) => [slots.get(index), values] as const)
  const columns = ['id', 'name', 'uid', 'version', 'generation', 'index_generation', 'held', 'stored_as', 'labels']
  const row = [
    '((1700000000000 + at.number) << 20)',
    name,
    `md5(${name})::uuid`,
    '0, 1, 1, false',
    quoted(model.version),
    `'{}'`,
    `${filled(JSON.stringify(Object.fromEntries(sets)))}::jsonb`,
    `convert_to(${filled(toData(object).toString())}, 'UTF8')`,
    ...keys.map(([, key]) => key),
  ]
  await pool.query(`
    INSERT INTO ${table} (${[...columns, 'sets', 'data', ...keys.map(([column]) => column)].join(', ')})
    SELECT ${row.join(', ')}
    FROM (SELECT number, 'user-' || lpad(number::text, 7, '0') AS user, 'role-' || (number * 7919) % ${roleCount} AS role
      FROM generate_series(0::bigint, ${count - 1}) number) at`)
  for (const [slot] of sets) {
    await pool.query(`
      INSERT INTO ${table}_s${slot} (value, id)
      SELECT value, m.id FROM ${table} m, jsonb_array_elements_text(m.sets -> '${slot}') value ORDER BY 1, 2`)
  }
}

/** The table of a model and the slots of its indexes. */
async function tableOf(pool: Pool, { group, plural }: Model) {
  const { rows } = await pool.query<{ id: number; indexes: { name: string; slot: number }[] }>(
    'SELECT id, indexes FROM models WHERE group_name = $1 AND plural = $2',
    [group, plural],
  )
  const [found] = rows
  if (!found) throw new Error(`${plural} have no table`)
  return { table: `m_${found.id}`, slots: new Map(found.indexes.map(({ name, slot }) => [name, slot])) }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
