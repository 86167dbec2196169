import type { Clock } from '../base/clock.ts'
import type { SqlStatement } from '../store/store.ts'

/** Says that what is known of a user's credentials no longer holds. */
export function revoked(clock: Clock, uid: string): SqlStatement {
  return { text: 'INSERT INTO revocations (at, uid) VALUES ($1, $2)', values: [clock.now(), uid] }
}
