import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import { digestOf } from './secret.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'

/** How often we look for what others have taken back. */
const pollMs = 200
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
  readonly sessionId?: string
  readonly narrowedTo?: readonly string[]
}

/** The secrets in use, so that most requests need not ask the database; what is taken back anywhere is soon forgotten. */
export interface KnownCredentials extends Disposable {
  find(secret: string): Promise<CredentialHolder | undefined>
  /** Forgets what this replica itself has just taken back. */
  forget(uid: string): void
}

export interface KnownCredentialsParts {
  readonly store: Store
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly clock: Clock
  readonly log: Log
}

interface Known {
  readonly holder: CredentialHolder
  readonly until: number
}

export function createKnownCredentials(parts: KnownCredentialsParts): KnownCredentials {
  const { clock } = parts
  /** By digest, the least recently used first. */
  const known = new Map<string, Known>()
  const forget = (uid: string) => {
    for (const [digest, { holder }] of known) if (holder.uid === uid) known.delete(digest)
  }
  const following = followRevocations(parts, forget)
  return {
    find: async (secret) => {
      const digest = digestOf(secret)
      const now = clock.now()
      const found = known.get(digest)
      known.delete(digest)
      if (found && found.until > now && following.isCurrent()) {
        known.set(digest, found)
        return found.holder
      }
      const began = following.count()
      const read = await readHolder(parts, secret)
      // Had it been taken back since, this would outlast it.
      if (read && began === following.count())
        known.set(digest, { ...read, until: Math.min(read.until, now + knownMs) })
      const [oldest] = known.keys()
      if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
      return read?.holder
    },
    forget,
    [Symbol.dispose]: () => following[Symbol.dispose](),
  }
}

async function readHolder({ sessions, tokens }: KnownCredentialsParts, secret: string): Promise<Known | undefined> {
  if (secret.startsWith('pgs_')) {
    const session = await sessions.find(secret)
    if (!session) return undefined
    const { uid, name, id, expiresAt } = session
    return { holder: { uid, name, sessionId: id }, until: expiresAt }
  }
  const owner = secret.startsWith('pgl_') ? await tokens.find(secret) : undefined
  if (!owner) return undefined
  const { expiresAt = Number.POSITIVE_INFINITY, ...holder } = owner
  return { holder, until: expiresAt }
}

interface Following extends Disposable {
  isCurrent(): boolean
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
    const rows = await store.sql({ text: 'SELECT at, uid FROM revocations WHERE at > $1', values })
    const recent = new Set(rows.map(({ at, uid }) => `${at} ${uid}`))
    for (const { at, uid } of rows) {
      if (seen.has(`${at} ${uid}`)) continue
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
    count: () => count,
    // A statement that does not end is not waited for.
    [Symbol.dispose]: () => stop.abort(),
  }
}
