import { createDatabase, postgresVersions } from '@pergola/test-servers'
import { expect, inject, test } from 'vitest'
import { storeContract } from '../store-contract.ts'
import { openPostgresStore } from './postgres-store.ts'

for (const version of postgresVersions) {
  const makeFixture = async () => {
    const database = await createDatabase(inject('postgres')[version])
    const open = () => openPostgresStore({ url: database.url, onConnectionLost: () => {} })
    const store = await open()
    return { url: database.url, store, reopen: open, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  storeContract(`PostgreSQL ${version}`, makeFixture)

  test(`PostgreSQL ${version}: replicas that start together all find the schema`, async () => {
    await using database = await createDatabase(inject('postgres')[version])
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => openPostgresStore({ url: database.url, onConnectionLost: () => {} })),
    )
    for (const store of stores) await store[Symbol.asyncDispose]()
    expect(stores).toHaveLength(8)
  })
}

test('a server that is not there is an error that names it, without the password', async () => {
  const url = 'postgres://someone:secret@127.0.0.1:1/nowhere'
  const opened = openPostgresStore({ url, onConnectionLost: () => {} })
  await expect(opened).rejects.toThrow(/PostgreSQL someone@127\.0\.0\.1:1\/nowhere: .*ECONNREFUSED/)
  await expect(opened).rejects.not.toThrow('secret')
})
