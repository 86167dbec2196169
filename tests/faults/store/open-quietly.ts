import { openPostgresStore } from '../../../packages/server/src/store/postgres/postgres-store.ts'
import type { Store } from '../../../packages/server/src/store/store.ts'

/** A store that does not report lost connections. Its application name is visible in the connections of the database. */
export function openQuietly(url: string, applicationName = 'pergola'): Promise<Store> {
  return openPostgresStore({ url: named(url, applicationName), onConnectionLost: () => {} })
}

export function named(url: string, applicationName: string): string {
  const own = new URL(url)
  own.searchParams.set('application_name', applicationName)
  return own.href
}
