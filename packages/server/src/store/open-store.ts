import { openPostgresStore, type PostgresOptions } from './postgres/postgres-store.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/** The engine is chosen by the URL: `sqlite:<file>` or `postgres://...`. */
export async function openStore(options: PostgresOptions): Promise<Store> {
  const { url, replica } = options
  if (url.startsWith('sqlite:')) return openSqliteStore(url.slice('sqlite:'.length), { replica })
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgresStore(options)
  throw new Error(`database.url must start with "sqlite:" or "postgres://"; it is "${url.split(':')[0]}:..."`)
}
