import type { Clock } from '../base/clock.ts'
import type { NewPassword } from '../credentials/passwords.ts'
import { revoked } from '../credentials/revocations.ts'
import type { Model } from '../models/model.ts'
import { removeTokens } from './end-tokens.ts'
import { deleteSessions } from '../store/records/sessions.ts'
import { deleteTokenDigests } from '../store/records/token-digests.ts'
import { retryRaces } from '../store/retry-races.ts'
import type { Guard, Store } from '../store/store.ts'

export interface ReplacePasswordParts {
  readonly store: Store
  readonly clock: Clock
  readonly tokens: Model
}

export interface PasswordChange {
  readonly user: { readonly uid: string; readonly name: string }
  readonly set: NewPassword
  /** The session that stays valid; none when somebody else sets the password. */
  readonly sessionId?: string | undefined
  readonly keepTokens?: boolean | undefined
  readonly guards?: readonly Guard[]
  /** Runs every step except storing. */
  readonly dryRun?: boolean
}

/**
 * Sets a new password and ends everything opened with the old one: sessions on every replica and, unless kept, tokens. Returns
 * how many tokens were deleted.
 */
export async function replacePassword(
  { store, clock, tokens }: ReplacePasswordParts,
  wanted: PasswordChange,
): Promise<number> {
  const { user, set, sessionId, keepTokens = false, dryRun = false } = wanted
  const { uid, name } = user
  const guards = [...(wanted.guards ?? []), set.isStored]
  const also = [set.write, deleteSessions(uid, sessionId), ...(keepTokens ? [] : [deleteTokenDigests(uid)])]
  return retryRaces(async () => {
    const operations = keepTokens ? [] : await removeTokens(store, tokens, name)
    await store.write([...operations, revoked(clock, uid)], { guards, also, dryRun })
    return operations.length
  })
}
