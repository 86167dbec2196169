import { createDatabase } from '@pergola/test-servers'
import { expect, inject, test } from 'vitest'
import { systemClock as clock } from '../base/clock.ts'
import { createObject } from '../models/verbs/create.ts'
import { declarationOf } from '../models/model.ts'
import { countStatements } from '../store/postgres/contract/count-statements.ts'
import { openPostgresStore } from '../store/postgres/postgres-store.ts'
import { builtInRoles } from './built-in-roles.ts'
import { createAccessModels } from './access-models.ts'
import { noRights } from './rights.ts'
import { seedRoles } from './seed-roles.ts'

test('a binding of 256 subjects takes no more statements than one of two', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await using store = await openPostgresStore({ url: database.url, onConnectionLost: () => {} })
  const parts = { store, clock }
  const own = createAccessModels({ ...parts, rights: noRights })
  for (const model of Object.values(own)) await store.openModel(declarationOf(model))
  await seedRoles(parts, own.roles, builtInRoles)
  const names = Array.from({ length: 256 }, (_, at) => `user-${at}`)
  for (const name of names) await createObject(parts, own.users, { body: { metadata: { name } } })

  using statements = countStatements()
  const bind = async (name: string, users: readonly string[]) => {
    const before = statements.count
    const subjects = users.map((user) => ({ name: user }))
    await createObject(parts, own.bindings, { body: { metadata: { name }, roleRef: { name: 'visitor' }, subjects } })
    return statements.count - before
  }
  const few = await bind('few', names.slice(0, 2))
  const many = await bind('many', names)
  expect(few).toBeGreaterThan(3)
  // Reads are batched, 100 at a time.
  expect(many).toBeLessThanOrEqual(few + 10)
})
