import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Log } from '../base/log.ts'
import type { Replica } from '../base/replica.ts'
import { watchHealth, type DatabaseHealth } from '../store/database-health.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { watchSchema, type SchemaWatch } from '../store/watch-schema.ts'
import { watchedStore } from '../store/watched-store.ts'

/** A statement that hangs must not keep the process from exiting. */
const storeCloseMs = 2_000

export interface StoreParts {
  readonly config: Config
  readonly log: Log
  readonly replica: Replica
}

/** The store; its outages are answered with 503 and logged once. */
export async function openWatchedStore(
  { config: { database, metrics }, log, replica }: StoreParts,
  running: AsyncDisposableStack,
): Promise<{ readonly store: Store; readonly database: DatabaseHealth; readonly schema: SchemaWatch }> {
  const lost = new EventTarget()
  const opened = await openStore({
    ...database,
    replica: replica.id,
    onConnectionLost: () => lost.dispatchEvent(new Event('connection')),
  })
  running.defer(() => Promise.race([opened[Symbol.asyncDispose](), sleep(storeCloseMs, undefined, { ref: false })]))
  // Expires at once, so that every replica can write it at any time.
  const probe = () => opened.acquireLease('write-probe', { holder: 'probe', ttlMs: 1 })
  const health = running.use(watchHealth({ log, description: opened.description, probe }))
  const store = watchedStore(opened, { health, limitMs: database.timeout * 1000, measured: metrics.port !== undefined })
  // An idle connection broke: a ping shows whether the database itself is unavailable.
  lost.addEventListener('connection', () => void store.ping().catch(() => {}))
  return { store, database: health, schema: running.use(await watchSchema(store, log)) }
}
