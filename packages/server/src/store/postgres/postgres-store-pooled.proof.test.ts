import { startPgBouncer, type PgBouncer } from '@pergola/test-servers'
import { afterAll, beforeAll, inject } from 'vitest'
import { postgresFixture } from '../contract/postgres-fixture.ts'
import { storeContract } from '../contract/store-contract.ts'

let pooler: PgBouncer
beforeAll(async () => {
  pooler = await startPgBouncer(inject('postgres')['15'])
})
afterAll(() => pooler[Symbol.asyncDispose]())

storeContract({
  name: 'PostgreSQL behind a pooler in transaction mode',
  shared: true,
  makeFixture: (options) =>
    postgresFixture(inject('postgres')['15'], (url) => ({ url: pooler.through(url), namedStatements: false }), options),
})
