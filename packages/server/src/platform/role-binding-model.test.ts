import { createDatabase } from '@pergola/test-servers'
import { Client } from 'pg'
import { expect, inject, test, vi } from 'vitest'
import { systemClock as clock } from '../base/clock.ts'
import { createObject } from '../models/create.ts'
import { declarationOf } from '../models/model.ts'
import { openPostgresStore } from '../store/postgres/postgres-store.ts'
import { builtInRoles } from './built-in-roles.ts'
import { createOwnModels } from './own-models.ts'
import { seedRoles } from './seed-roles.ts'

test('a binding of 256 subjects takes no more statements than one of two', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await using store = await openPostgresStore({ url: database.url, onConnectionLost: () => {} })
  const parts = { store, clock }
  const own = createOwnModels({ ...parts, rights: () => expect.fail('nobody asks') })
  for (const model of Object.values(own)) await store.openModel(declarationOf(model))
  await seedRoles(parts, own.roles, builtInRoles)
  const names = Array.from({ length: 256 }, (_, at) => `user-${at}`)
  for (const name of names) await createObject(parts, own.users, { body: { metadata: { name } } })

  const sent = vi.spyOn(Client.prototype, 'query')
  /** Those of the sequencer come when they come. */
  const statements = () =>
    sent.mock.calls.filter(([query]) => !/sequence_changes|pending_changes/.test(JSON.stringify(query) ?? '')).length
  const bind = async (name: string, users: readonly string[]) => {
    const before = statements()
    const subjects = users.map((user) => ({ name: user }))
    await createObject(parts, own.bindings, { body: { metadata: { name }, roleRef: { name: 'visitor' }, subjects } })
    return statements() - before
  }
  const few = await bind('few', names.slice(0, 2))
  const many = await bind('many', names)
  sent.mockRestore()
  expect(few).toBeGreaterThan(3)
  // Reads of many callers go together, 100 at a time.
  expect(many).toBeLessThanOrEqual(few + 10)
})
