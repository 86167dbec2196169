import { expect, test } from 'vitest'
import { systemClock as clock } from '../base/clock.ts'
import { createObject } from '../models/verbs/create.ts'
import { declarationOf } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import { updateObject } from '../models/verbs/update.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import { builtInRoles } from './built-in-roles.ts'
import { createAccessModels } from './access-models.ts'
import { noRights } from './rights.ts'
import { seedRoles } from './seed-roles.ts'

const kept = { nonResourceURLs: ['/livez'], verbs: ['get'] }
const added = { nonResourceURLs: ['/auth/login'], verbs: ['get', 'create'] }

test('a role of an earlier version gets the rules that were added since, once, and keeps what an operator changed', async () => {
  await using store = openSqliteStore(':memory:')
  const parts = { store, clock }
  const own = createAccessModels({ ...parts, rights: noRights })
  for (const model of Object.values(own)) await store.openModel(declarationOf(model))
  const rulesOf = async (name: string) => {
    const stored = await store.get(own.roles, name)
    return stored && fromData(stored.data)['rules']
  }
  await createObject(parts, own.roles, { body: { metadata: { name: 'anonymous' }, rules: [kept] } })
  await seedRoles(parts, own.roles, builtInRoles)
  expect(await rulesOf('anonymous')).toEqual([kept, added])
  expect(await rulesOf('visitor')).toEqual([])

  const bodyFor = ({ data }: { data: Buffer }) => ({ ...fromData(data), rules: [kept] })
  await updateObject(parts, own.roles, { name: 'anonymous', bodyFor })
  await seedRoles(parts, own.roles, builtInRoles)
  expect(await rulesOf('anonymous')).toEqual([kept])
})
