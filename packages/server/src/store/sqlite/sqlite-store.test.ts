import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storeContract } from '../store-contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

async function makeFixture() {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-sqlite-'))
  const file = join(directory, 'test.db')
  const open = [openSqliteStore(file)]
  return {
    file,
    store: open[0] as (typeof open)[number],
    reopen: async () => {
      const again = openSqliteStore(file)
      open.push(again)
      return again
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of open) await store[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true })
    },
  }
}

storeContract('SQLite', makeFixture)

test('a second store on the same file is refused, and the message says what to do', async () => {
  await using fixture = await makeFixture()
  expect(() => openSqliteStore(fixture.file)).toThrow(/in use by another process; stop it, or use PostgreSQL/)
})
