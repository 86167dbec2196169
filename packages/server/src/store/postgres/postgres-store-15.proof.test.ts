import { inject } from 'vitest'
import { postgresFixture } from '../contract/postgres-fixture.ts'
import { storeContract } from '../contract/store-contract.ts'

storeContract({
  name: 'PostgreSQL 15',
  shared: true,
  makeFixture: (options) => postgresFixture(inject('postgres')['15'], (url) => ({ url }), options),
})
