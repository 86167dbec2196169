import type { Caller } from '../call/call.ts'
import type { StreamOwner } from './watcher.ts'

/** Number checked before yielding to other work. */
const slice = 500

/** A stream whose caller must stay authorized while it lasts. */
interface CallerStream {
  readonly owner: StreamOwner
  expiresAt: number
}

/** Ends the streams whose callers are no longer authorized. */
export async function recheckOwners<One extends CallerStream>(
  standees: Iterable<One>,
  end: (one: One, error: unknown) => void,
): Promise<void> {
  let checks: Promise<void>[] = []
  for (const one of standees) {
    checks.push(check(one, end))
    if (checks.length < slice) continue
    await Promise.all(checks)
    checks = []
  }
  await Promise.all(checks)
}

async function check<One extends CallerStream>(one: One, end: (one: One, error: unknown) => void): Promise<void> {
  try {
    one.expiresAt = expiryOf(await one.owner.recheck())
  } catch (error) {
    end(one, error)
  }
}

/** The streams of users whose rights may have changed. */
export function concernedBy<One extends CallerStream>(
  all: ReadonlySet<One>,
  users: 'everybody' | ReadonlySet<string>,
): readonly One[] {
  if (users === 'everybody') return [...all]
  return users.size === 0 ? [] : [...all].filter(({ owner: { user } }) => user !== undefined && users.has(user))
}

/** When the caller's credential, or one of its roles, expires. */
export function expiryOf(caller: Caller): number {
  return (caller.kind === 'user' ? caller.expiresAt : undefined) ?? Number.POSITIVE_INFINITY
}
