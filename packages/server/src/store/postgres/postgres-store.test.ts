import { createDatabase } from '@pergola/test-servers'
import { Pool } from 'pg'
import { expect, inject, test } from 'vitest'
import { postgresFixture } from '../contract/postgres-fixture.ts'
import { storeContract } from '../contract/store-contract.ts'
import { openPostgresStore } from './postgres-store.ts'
import { inTransaction } from './transaction.ts'

storeContract({
  name: 'PostgreSQL 18',
  shared: true,
  makeFixture: () => postgresFixture(inject('postgres')['18'], (url) => ({ url })),
})

test('a connection that is lost in the middle of a transaction fails that transaction and nothing else', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const pool = new Pool({ connectionString: database.url })
  pool.on('error', () => {})
  const lost = inTransaction(pool, async (client) => {
    await client.query('SELECT pg_terminate_backend(pg_backend_pid())')
  })
  await expect(lost).rejects.toThrow(/terminat/)
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await pool.end()
})

test('a server that is not there is an error that names it, without the password', async () => {
  const url = 'postgres://someone:secret@127.0.0.1:1/nowhere'
  const opened = openPostgresStore({ url, onConnectionLost: () => {} })
  await expect(opened).rejects.toThrow(/PostgreSQL someone@127\.0\.0\.1:1\/nowhere: .*ECONNREFUSED/)
  await expect(opened).rejects.not.toThrow('secret')
})
