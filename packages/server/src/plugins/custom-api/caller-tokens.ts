import { randomBytes } from 'node:crypto'
import { isApiError } from '@pergola/api'
import type { Call, Caller } from '../../call/call.ts'
import type { Clock } from '../../base/clock.ts'

/** Minimum validity of a caller's token. */
export const lastsMs = 60_000
/** The same token is reused for this long, so that busy callers do not fill the memory with tokens. */
export const sharedMs = 30_000

/** Tokens by which a plugin acts for the caller of a request that it is handling, on this replica, for a limited time. */
export interface CallerTokens {
  /** A token for the caller of a request, valid for one plugin. */
  make(call: CallerOfRequest, plugin: string): string
  /** The caller of the token, unless it was made for another plugin, or it or the credential behind it has ended. */
  find(token: string, plugin: string): Promise<Caller | undefined>
}

type CallerOfRequest = Pick<Call, 'caller' | 'authenticate'>

interface Made {
  readonly token: string
  readonly authenticate: Call['authenticate']
  readonly plugin: string
  readonly madeAt: number
}

export function createCallerTokens(clock: Clock): CallerTokens {
  const byToken = new Map<string, Made>()
  const shared = new Map<string, Made>()
  /** Both maps are in insertion order. */
  const forget = (now: number) => {
    for (const [key, { madeAt }] of shared)
      if (now - madeAt >= sharedMs) shared.delete(key)
      else break
    for (const [token, { madeAt }] of byToken)
      if (now - madeAt >= lastsMs + sharedMs) byToken.delete(token)
      else break
  }
  return {
    make: ({ caller, authenticate }, plugin) => {
      const now = clock.now()
      forget(now)
      const key = `${plugin} ${keyOf(caller)}`
      const known = shared.get(key)
      if (known) return known.token
      const made = { token: `pgc_${randomBytes(32).toString('base64url')}`, authenticate, plugin, madeAt: now }
      shared.set(key, made)
      byToken.set(made.token, made)
      return made.token
    },
    find: async (token, plugin) => {
      const made = byToken.get(token)
      if (!made || made.plugin !== plugin || clock.now() - made.madeAt >= lastsMs + sharedMs) return undefined
      try {
        return await made.authenticate()
      } catch (error) {
        if (isApiError(error) && error.reason === 'Unauthenticated') return undefined
        throw error
      }
    },
  }
}

/** Callers with the same key use the same credential. */
function keyOf(caller: Caller): string {
  if (caller.kind !== 'user') return caller.kind === 'plugin' ? caller.name : caller.kind
  const { name, uid, via, sessionId, tokenName, narrowedTo, expiresAt, through } = caller
  // Cheaper than JSON; only the roles of a narrowed token can hold any character.
  const narrowed = narrowedTo === undefined ? '' : JSON.stringify(narrowedTo)
  return `${name} ${uid} ${via} ${through} ${sessionId} ${tokenName} ${expiresAt} ${narrowed}`
}
