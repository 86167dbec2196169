import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Store } from '@pergola/server/feed'

/** Size of the seal at the start of every message. */
export const sealLength = 32
const keyBytes = 32
/** Minimum interval between reads of the key. */
const reloadMs = 5_000

/**
 * NATS carries roles and rights. A message counts only with a seal made with a key from the database: an attacker who can write
 * to NATS but not to the database can only make replicas read the log.
 */
export interface Seals {
  /** Writes the seal into the reserved bytes at the start. */
  seal(bytes: Buffer): Buffer
  isSealed(bytes: Buffer): boolean
  /** Call after an invalid seal: the key may have been replaced. */
  reload(): Promise<void>
}

export async function loadSeals(store: Store): Promise<Seals> {
  let seals = sealsOf(await loadKey(store))
  let loadedAt = performance.now()
  return {
    seal: (bytes) => seals.seal(bytes),
    isSealed: (bytes) => seals.isSealed(bytes),
    reload: async () => {
      if (performance.now() - loadedAt < reloadMs) return
      loadedAt = performance.now()
      seals = sealsOf(await loadKey(store))
    },
  }
}

/** Seals made with one fixed key. */
export function sealsOf(key: Buffer): Seals {
  const sealOf = (bytes: Buffer) => createHmac('sha256', key).update(bytes.subarray(sealLength)).digest()
  return {
    seal: (bytes) => {
      sealOf(bytes).copy(bytes)
      return bytes
    },
    isSealed: (bytes) => bytes.length > sealLength && timingSafeEqual(sealOf(bytes), bytes.subarray(0, sealLength)),
    reload: async () => {},
  }
}

/** If replicas start together, one creates the key and all use it. */
async function loadKey(store: Store): Promise<Buffer> {
  const text = `INSERT INTO feed_keys (key) SELECT $1 WHERE NOT EXISTS (SELECT FROM feed_keys) ON CONFLICT DO NOTHING`
  await store.sql({ text, values: [randomBytes(keyBytes)] })
  const [row] = await store.sql({ text: 'SELECT key FROM feed_keys', values: [] })
  if (!Buffer.isBuffer(row?.['key'])) throw new Error('the database has no key for the feed')
  return row['key']
}
