import { openPostgresStore } from '../../../packages/server/src/store/postgres/postgres-store.ts'
import type { Store } from '../../../packages/server/src/store/store.ts'

/** A store whose lost connections are part of the trial. Its own name shows in the database's list of connections. */
export function openQuietly(url: string, applicationName = 'pergola'): Promise<Store> {
  return openPostgresStore({ url: named(url, applicationName), onConnectionLost: () => {} })
}

export function named(url: string, applicationName: string): string {
  const own = new URL(url)
  own.searchParams.set('application_name', applicationName)
  return own.href
}
