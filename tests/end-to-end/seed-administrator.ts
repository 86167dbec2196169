import { systemClock as clock } from '../../packages/server/src/base/clock.ts'
import { digestOf } from '../../packages/server/src/credentials/secret.ts'
import { createSessions } from '../../packages/server/src/credentials/sessions.ts'
import { createOperation } from '../../packages/server/src/models/verbs/create.ts'
import { declarationOf } from '../../packages/server/src/models/model.ts'
import { createAccessModels } from '../../packages/server/src/access/access-models.ts'
import { noRights } from '../../packages/server/src/access/rights.ts'
import { openStore } from '../../packages/server/src/store/open-store.ts'
import { sql, statement } from '../../packages/server/src/store/sql.ts'

const day = 86_400_000
const lasting = { idleMs: day, mostMs: day }

/** Name of the binding that makes the seeded user a super administrator. */
export const seededBinding = 'seeded-administrator'

/**
 * Creates a super administrator, `admin`, in an unused database, with a session whose secret the test knows; it begins
 * with `pgs_`. Faster than the setup endpoint, which needs two slow hashes.
 */
export async function seedAdministrator(url: string, token: string): Promise<void> {
  if (!token.startsWith('pgs_')) throw new Error(`the secret of a session begins with pgs_; this one is ${token}`)
  await using store = await openStore({ url, onConnectionLost: () => {} })
  const { roles, bindings, users, tokens } = createAccessModels({ store, clock, rights: noRights })
  for (const model of [roles, bindings, users, tokens]) await store.openModel(declarationOf(model))
  const name = 'admin'
  const user = await createOperation({ clock }, users, { metadata: { name }, spec: { disabled: false } })
  const binding = await createOperation({ clock }, bindings, {
    metadata: { name: seededBinding },
    roleRef: { apiGroup: '', kind: 'Role', name: 'super-administrator' },
    subjects: [{ apiGroup: '', kind: 'User', name }],
  })
  await store.write([user, binding])
  const begun = { user: { uid: user.uid, name }, transport: 'token', address: '127.0.0.1', agent: 'test' } as const
  const { session } = await createSessions(store, clock, lasting).begin(begun)
  await store[sql](statement('UPDATE sessions SET digest = $1 WHERE id = $2', [digestOf(token), session.id]))
}
