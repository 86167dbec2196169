import { expect, test, vi } from 'vitest'
import { createLog } from '../base/log.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import { UnusableSchema } from './schema-version.ts'
import { watchSchema } from './watch-schema.ts'
import { sql, statement } from './sql.ts'

test('a server finds out that a newer one has upgraded the database beyond it, and logs it once', async () => {
  await using store = openSqliteStore(':memory:')
  const lines: string[] = []
  using schema = await watchSchema(
    store,
    createLog({ level: 'error', pretty: false, write: (text) => void lines.push(text) }),
    5,
  )
  expect(schema.number()).toBe(await store.schemaNumber())
  await store[sql](statement('INSERT INTO schema_migrations VALUES (99, 98)'))
  await store[sql](statement('PRAGMA user_version = 99'))
  await vi.waitFor(() => expect(() => schema.number()).toThrow(UnusableSchema))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(lines).toEqual([expect.stringMatching(/"the database has schema 99, for servers with schema 98 or later/)])
})
