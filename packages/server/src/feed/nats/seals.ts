import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Store } from '../../store/store.ts'

/** In front of every message. */
export const sealLength = 32
const keyBytes = 32
/** A key that was replaced is looked for no more often. */
const reloadMs = 5_000

/**
 * NATS carries roles and rights. What comes from there counts only with a seal by a key that stands in the database: whoever can
 * write to NATS, and not to the database, can make replicas read the log, and nothing else.
 */
export interface Seals {
  /** Writes the seal into the room at the begin. */
  seal(bytes: Buffer): Buffer
  isSealed(bytes: Buffer): boolean
  /** After a seal that was not ours: the key may be another one by now. */
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

/** By one key, which stays. */
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

/** Of replicas that start together one makes it, and all have it. */
async function loadKey(store: Store): Promise<Buffer> {
  const text = `INSERT INTO feed_keys (key) SELECT $1 WHERE NOT EXISTS (SELECT FROM feed_keys) ON CONFLICT DO NOTHING`
  await store.sql({ text, values: [randomBytes(keyBytes)] })
  const [row] = await store.sql({ text: 'SELECT key FROM feed_keys', values: [] })
  if (!Buffer.isBuffer(row?.['key'])) throw new Error('the database has no key for the feed')
  return row['key']
}
