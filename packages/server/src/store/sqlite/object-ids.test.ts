import SqliteDatabase from 'better-sqlite3'
import { expect, test } from 'vitest'
import { people, places } from '../contract/fixture.ts'
import { createCatalog } from './catalog.ts'
import { createdAtOf, createObjectIds, firstIdOf } from './object-ids.ts'
import { migrate } from './migrate.ts'

test('ids increase within a millisecond, with the clock, and when the clock goes back', () => {
  const database = new SqliteDatabase(':memory:')
  migrate(database)
  let now = 1_900_000_000_000
  const ids = createObjectIds(database, () => now)
  const first = ids.next()
  expect(createdAtOf(first)).toBe(now)
  expect(ids.next()).toBe(first + 1)
  now += 1
  expect(createdAtOf(ids.next())).toBe(now)
  now -= 60_000
  expect(ids.next()).toBe(firstIdOf(now + 60_000) + 1)
})

test('after reopening, ids continue after the newest object of any model', () => {
  const database = new SqliteDatabase(':memory:')
  migrate(database)
  const catalog = createCatalog(database)
  for (const model of [people, places]) catalog.open(model)
  const { statements } = catalog.find(places)
  const columns = {
    index_generation: 1,
    held: 0,
    stored_as: 'v1',
    labels: '{}',
    sets: '{}',
    data: Buffer.alloc(0),
  } as const
  statements.insert.run({ ...columns, id: 5_000, name: 'a', uid: 'u', version: 0, generation: 1, deleted_at: null })
  expect(createObjectIds(database, () => 1).next()).toBe(5_001)
})
