import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFeedKey, type Store } from '@pergola/server/feed'

/** Size of the seal at the start of every message. */
export const sealLength = 32
const keyBytes = 32
/** Minimum interval between reads of the key. */
const reloadMs = 5_000

/**
 * Messages of NATS change roles and rights, so a message is accepted only with a seal (HMAC) made with a key from the database. An
 * attacker who can write to NATS but not to the database can at most make replicas read the log.
 */
export interface Seals {
  /** Writes the seal into the reserved bytes at the start. */
  seal(bytes: Buffer): Buffer
  isSealed(bytes: Buffer): boolean
  /** Call after an invalid seal: the key may have been replaced. */
  reload(): Promise<void>
}

export async function loadSeals(store: Store): Promise<Seals> {
  let seals = sealsOf(await readFeedKey(store, randomBytes(keyBytes)))
  let loadedAt = performance.now()
  return {
    seal: (bytes) => seals.seal(bytes),
    isSealed: (bytes) => seals.isSealed(bytes),
    reload: async () => {
      if (performance.now() - loadedAt < reloadMs) return
      loadedAt = performance.now()
      seals = sealsOf(await readFeedKey(store, randomBytes(keyBytes)))
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
