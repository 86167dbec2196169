import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createRecent } from '../base/recent.ts'
import type { Store } from '../store/store.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'

/** How often we look for what others have taken back. */
const pollMs = 100
/** What is known counts for nothing when we could not look for this long. */
const staleMs = 3_000
/** Clocks of replicas may differ by this much; what was taken back is kept ten times as long. */
const skewMs = 30_000
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

/** The secrets in use, so that most requests need not ask the database; what is taken back anywhere is soon forgotten. */
export interface KnownCredentials extends Disposable {
  find(secret: string): Promise<CredentialHolder | undefined>
  /** Forgets what this replica itself has just taken back. */
  forget(uid: string): void
  /** Sees to it that what was taken back elsewhere is known; throws when it cannot be. */
  settle(): Promise<void>
}

export interface KnownCredentialsParts {
  readonly store: Store
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly clock: Clock
  readonly log: Log
  /** Something of a user was taken back, here or elsewhere. */
  readonly onRevoked: (uid: string) => void
}

interface Known {
  readonly holder: CredentialHolder
  readonly until: number
}

export function createKnownCredentials(parts: KnownCredentialsParts): KnownCredentials {
  const { clock } = parts
  /** By the secret itself, which came with the request anyway: a digest would take 20 µs of every request. */
  const known = createRecent<Known>(mostKnown)
  const forget = (uid: string) => {
    for (const [secret, { holder }] of known.entries()) if (holder.uid === uid) known.delete(secret)
    parts.onRevoked(uid)
  }
  const following = followRevocations(parts, forget)
  return {
    find: async (secret) => {
      const now = clock.now()
      const found = known.get(secret)
      if (found && found.until > now && following.isCurrent()) return found.holder
      known.delete(secret)
      const began = following.count()
      const read = await readHolder(parts, secret)
      // Had it been taken back since, this would outlast it.
      if (read && began === following.count())
        known.set(secret, { ...read, until: Math.min(read.until, now + knownMs) })
      return read?.holder
    },
    forget,
    settle: async () => {
      if (!following.isCurrent()) await following.look()
    },
    [Symbol.dispose]: () => following[Symbol.dispose](),
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

interface Following extends Disposable {
  isCurrent(): boolean
  look(): Promise<void>
  /** Of revocations seen. */
  count(): number
}

function followRevocations({ store, clock, log }: KnownCredentialsParts, forget: (uid: string) => void): Following {
  const stop = new AbortController()
  /** Those of the last while, since the newest need not be the last to be seen. */
  let seen = new Set<string>()
  let currentAt = Number.NEGATIVE_INFINITY
  let count = 0
  const look = async () => {
    const values = [clock.now() - skewMs]
    const rows = await store.sql({ name: 'revocations', text: 'SELECT at, uid FROM revocations WHERE at > $1', values })
    const recent = new Set(rows.map(({ at, uid }) => `${String(at)} ${String(uid)}`))
    for (const { at, uid } of rows) {
      if (seen.has(`${String(at)} ${String(uid)}`)) continue
      count++
      forget(String(uid))
    }
    seen = recent
    currentAt = performance.now()
  }
  const run = async () => {
    let failing = false
    while (!stop.signal.aborted) {
      try {
        await look()
        failing = false
      } catch (err) {
        if (!failing && !stop.signal.aborted)
          log.warn({ err }, 'credentials taken back elsewhere cannot be seen; each request asks the database')
        failing = true
      }
      await sleep(pollMs, undefined, { signal: stop.signal, ref: false }).catch(() => {})
    }
  }
  void run()
  return {
    isCurrent: () => performance.now() - currentAt < staleMs,
    look,
    count: () => count,
    // A statement that does not end is not waited for.
    [Symbol.dispose]: () => stop.abort(),
  }
}
