import { randomBytes } from 'node:crypto'
import type { Caller } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'

/** What a caller's token is good for at least. */
const lastsMs = 60_000
/** One and the same is handed out for this long: busy callers do not fill the memory with tokens. */
const sharedMs = 30_000

/** By these a plugin acts for somebody whose request it was handed, here, for a while. */
export interface CallerTokens {
  /** For a caller, towards one plugin. */
  make(caller: Caller, plugin: string): string
  /** Whose it is, unless it is another plugin's, or over. */
  find(token: string, plugin: string): Caller | undefined
}

interface Made {
  readonly token: string
  readonly caller: Caller
  readonly plugin: string
  readonly madeAt: number
}

export function createCallerTokens(clock: Clock): CallerTokens {
  const byToken = new Map<string, Made>()
  const shared = new Map<string, Made>()
  /** Both are in the order they were made. */
  const forget = (now: number) => {
    for (const [key, { madeAt }] of shared)
      if (now - madeAt >= sharedMs) shared.delete(key)
      else break
    for (const [token, { madeAt }] of byToken)
      if (now - madeAt >= lastsMs + sharedMs) byToken.delete(token)
      else break
  }
  return {
    make: (caller, plugin) => {
      const now = clock.now()
      forget(now)
      const key = `${plugin} ${keyOf(caller)}`
      const known = shared.get(key)
      if (known) return known.token
      const made = { token: `pgc_${randomBytes(32).toString('base64url')}`, caller, plugin, madeAt: now }
      shared.set(key, made)
      byToken.set(made.token, made)
      return made.token
    },
    find: (token, plugin) => {
      const made = byToken.get(token)
      if (!made || made.plugin !== plugin || clock.now() - made.madeAt >= lastsMs + sharedMs) return undefined
      return made.caller
    },
  }
}

/** Two callers with the same one may do the same. */
function keyOf(caller: Caller): string {
  if (caller.kind !== 'user') return caller.kind === 'plugin' ? caller.name : caller.kind
  const { name, uid, via, sessionId, tokenName, narrowedTo, expiresAt } = caller
  return JSON.stringify([name, uid, via, sessionId, tokenName, narrowedTo, expiresAt])
}
