import { openPostgresStore, type PostgresOptions } from '../postgres/postgres-store.ts'
import type { Store } from '../store.ts'
import type { FixtureOptions, StoreFixture } from './fixture.ts'
import { createMigratedDatabase } from './migrated-database.ts'

/** A store on a new database, opened with the options for its URL. */
export async function postgresFixture(
  serverUrl: string,
  optionsFor: (url: string) => Pick<PostgresOptions, 'url' | 'schema' | 'namedStatements' | 'candidateLimit'>,
  { smallLog = false }: FixtureOptions = {},
): Promise<StoreFixture & { readonly url: string }> {
  const database = await createMigratedDatabase(serverUrl)
  const opened: Store[] = []
  const reopen = async () => {
    const store = await openPostgresStore({
      ...optionsFor(database.url),
      ...(smallLog && { partitions: { smallest: 64 } }),
      onConnectionLost: () => {},
    })
    opened.push(store)
    return store
  }
  const close = async () => {
    for (const store of opened) await store[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
  return { url: database.url, store: await reopen(), reopen, [Symbol.asyncDispose]: close }
}
