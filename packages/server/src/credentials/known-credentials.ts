import type { Clock } from '../base/clock.ts'
import { LRUCache } from 'lru-cache'
import type { Feed } from '../feed/feed.ts'
import { revokedBy } from './revocations.ts'
import type { Sessions } from './sessions.ts'
import { digestOf } from './secret.ts'
import { findTokenOwner } from '../store/records/token-digests.ts'
import type { Store } from '../store/store.ts'

/** A session in use is looked up in the database this often, which keeps it alive. */
const knownMs = 60_000
const mostKnown = 10_000

/** The owner of a secret. */
interface CredentialHolder {
  readonly uid: string
  readonly name: string
  readonly tokenName?: string
  readonly sessionId?: string
  readonly narrowedTo?: readonly string[]
  readonly expiresAt?: number
}

/** A cache of the secrets in use, so that most requests need no database query; revocations on any replica evict entries. */
export interface KnownCredentials extends Disposable {
  /** Calls the listener when a credential of a user was revoked, here or on another replica. */
  onRevoked(listener: (uid: string) => void): void
  find(secret: string): Promise<CredentialHolder | undefined>
  /** Evicts the credentials that this replica has just revoked. */
  forget(uid: string): void
  /** From now on, revocations of other replicas take effect even if the feed is behind. */
  settle(): void
}

export interface KnownCredentialsParts {
  readonly feed: Feed
  readonly sessions: Sessions
  readonly store: Store
  readonly clock: Clock
}

interface Known {
  readonly holder: CredentialHolder
  readonly until: number
}

export function createKnownCredentials(parts: KnownCredentialsParts): KnownCredentials {
  const { clock, feed } = parts
  /** Keyed by the secret itself, which comes with the request anyway: a digest would take 20 µs of every request. */
  const known = new LRUCache<string, Known>({ max: mostKnown })
  /** Counts evictions: a result read before an eviction must not be cached after it. */
  let forgotten = 0
  const listeners = new Set<(uid: string) => void>()
  const forget = (uid: string) => {
    forgotten++
    for (const [secret, { holder }] of known.entries()) if (holder.uid === uid) known.delete(secret)
    for (const listener of listeners) listener(uid)
  }
  const forgetAll = () => {
    forgotten++
    known.clear()
  }
  const subscription = feed.subscribe('caches', {
    onChanges: (changes) => {
      for (const change of changes) {
        const uid = revokedBy(change)
        if (uid !== undefined) forget(uid)
      }
    },
    onLost: forgetAll,
  })
  return {
    onRevoked: (listener) => void listeners.add(listener),
    find: async (secret) => {
      const now = clock.now()
      const found = known.get(secret)
      if (found && found.until > now && feed.isCurrent()) return found.holder
      known.delete(secret)
      const began = forgotten
      const read = await readHolder(parts, secret)
      if (read && began === forgotten) known.set(secret, { ...read, until: Math.min(read.until, now + knownMs) })
      return read?.holder
    },
    forget,
    settle: () => {
      if (!feed.isCurrent()) forgetAll()
    },
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  }
}

async function readHolder(parts: KnownCredentialsParts, secret: string): Promise<Known | undefined> {
  const { store, sessions, clock } = parts
  if (secret.startsWith('pgs_')) {
    const session = await sessions.find(secret)
    if (!session) return undefined
    const { uid, name, id, expiresAt } = session
    return { holder: { uid, name, sessionId: id, expiresAt }, until: expiresAt }
  }
  const owner = secret.startsWith('pgl_') ? await findTokenOwner(store, digestOf(secret), clock.now()) : undefined
  if (!owner) return undefined
  return { holder: owner, until: owner.expiresAt ?? Number.POSITIVE_INFINITY }
}
