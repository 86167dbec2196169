import { inject } from 'vitest'
import { postgresFixture } from '../contract/postgres-fixture.ts'
import { storeContract } from '../contract/store-contract.ts'

storeContract({
  name: 'PostgreSQL in a schema of its own',
  shared: true,
  makeFixture: (options) => postgresFixture(inject('postgres')['18'], (url) => ({ url, schema: 'own' }), options),
})
