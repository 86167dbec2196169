import type { Clock } from '../base/clock.ts'
import { createRecent } from '../base/recent.ts'
import type { Feed } from '../feed/feed.ts'
import { revokedBy } from './revocations.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'

/** A session in use is found in the database this often, which keeps it alive. */
const knownMs = 60_000
const mostKnown = 10_000

/** Who shows a secret. */
interface CredentialHolder {
  readonly uid: string
  readonly name: string
  readonly tokenName?: string
  readonly sessionId?: string
  readonly narrowedTo?: readonly string[]
  readonly expiresAt?: number
}

/** A cache of the secrets in use, so that most requests need not ask the database; what is revoked on any replica is evicted. */
export interface KnownCredentials extends Disposable {
  find(secret: string): Promise<CredentialHolder | undefined>
  /** Evicts what this replica itself has just revoked. */
  forget(uid: string): void
  /** Revocations of other replicas count from now on, even if the feed is behind. */
  settle(): void
}

export interface KnownCredentialsParts {
  readonly feed: Feed
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly clock: Clock
  /** A credential of a user was revoked, here or on another replica. */
  readonly onRevoked: (uid: string) => void
}

interface Known {
  readonly holder: CredentialHolder
  readonly until: number
}

export function createKnownCredentials(parts: KnownCredentialsParts): KnownCredentials {
  const { clock, feed } = parts
  /** By the secret itself, which came with the request anyway: a digest would take 20 µs of every request. */
  const known = createRecent<Known>(mostKnown)
  /** Counts evictions: what was read before one must not be cached after it. */
  let forgotten = 0
  const forget = (uid: string) => {
    forgotten++
    for (const [secret, { holder }] of known.entries()) if (holder.uid === uid) known.delete(secret)
    parts.onRevoked(uid)
  }
  const forgetAll = () => {
    forgotten++
    known.clear()
  }
  const subscription = feed.subscribe({
    onChanges: (changes) => {
      for (const change of changes) {
        const uid = revokedBy(change)
        if (uid !== undefined) forget(uid)
      }
    },
    onLost: forgetAll,
  })
  return {
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

async function readHolder({ sessions, tokens }: KnownCredentialsParts, secret: string): Promise<Known | undefined> {
  if (secret.startsWith('pgs_')) {
    const session = await sessions.find(secret)
    if (!session) return undefined
    const { uid, name, id, expiresAt } = session
    return { holder: { uid, name, sessionId: id, expiresAt }, until: expiresAt }
  }
  const owner = secret.startsWith('pgl_') ? await tokens.find(secret) : undefined
  if (!owner) return undefined
  return { holder: owner, until: owner.expiresAt ?? Number.POSITIVE_INFINITY }
}
