import { ApiError } from '@pergola/api'
import type { Call } from '../base/call.ts'

/** Who has somebody's token could otherwise sign in as them, and stay when the token is over. */
export function refuseTokens({ caller }: Call, what: string): void {
  if (caller.kind !== 'user' || caller.sessionId !== undefined) return
  throw new ApiError('Forbidden', `a personal access token ${what}; sign in to do this`)
}
