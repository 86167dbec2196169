import { ApiError } from '@pergola/api'
import type { Call } from '../call/call.ts'

/** Otherwise the holder of a user's token could sign in as that user, and stay signed in after the token expires. */
export function refuseTokens({ caller }: Call, what: string): void {
  if (caller.kind !== 'user' || caller.sessionId !== undefined) return
  throw new ApiError('Forbidden', `a personal access token ${what}; sign in to do this`)
}
