import type { Caller } from '../base/call.ts'
import type { Standing } from './watcher.ts'

/** Looked at together, before others get their turn. */
const slice = 500

/** What its caller must be allowed for as long as it goes on. */
interface Standee {
  readonly standing: Standing
  expiresAt: number
}

/** Ends those who may no longer go on. */
export async function checkStanding<One extends Standee>(
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

async function check<One extends Standee>(one: One, end: (one: One, error: unknown) => void): Promise<void> {
  try {
    one.expiresAt = expiryOf(await one.standing.recheck())
  } catch (error) {
    end(one, error)
  }
}

/** Those of the users whose rights may have changed. */
export function concernedBy<One extends Standee>(
  all: ReadonlySet<One>,
  users: 'everybody' | ReadonlySet<string>,
): readonly One[] {
  if (users === 'everybody') return [...all]
  return users.size === 0 ? [] : [...all].filter(({ standing: { user } }) => user !== undefined && users.has(user))
}

/** When what it shows, or some of what it holds, ends by itself. */
export function expiryOf(caller: Caller): number {
  return (caller.kind === 'user' ? caller.expiresAt : undefined) ?? Number.POSITIVE_INFINITY
}
