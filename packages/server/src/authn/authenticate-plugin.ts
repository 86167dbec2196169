import { timingSafeEqual } from 'node:crypto'
import type { Caller } from '../call/call.ts'
import { pluginCaller } from '../call/plugin-caller.ts'
import { unauthenticated, type Authenticate } from './authenticate.ts'

interface StartToken {
  readonly plugin: string
  readonly token: string
  /** The groups that the plugin claims. */
  readonly groups: readonly string[]
}

export interface PluginCredentials {
  /** The start tokens of the plugins that run here. */
  readonly startTokens: () => Iterable<StartToken>
  /** The caller for whom the plugin may act with a caller token. */
  readonly callerOf: (token: string, plugin: string) => Promise<Caller | undefined>
}

/** Authenticates requests on the plugins' socket: as the plugin, or as the caller whose request the plugin is handling. */
export function createPluginAuthenticate({ startTokens, callerOf }: PluginCredentials): Authenticate {
  return async ({ authorization = '', callerToken }) => {
    const shown = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
    const found = [...startTokens()].find(({ token }) => isSame(token, shown))
    if (!found)
      throw unauthenticated('send the token that the plugin was started with as "Authorization: Bearer <token>"')
    const { plugin, groups } = found
    if (callerToken === undefined) return pluginCaller(plugin, shown, groups)
    const caller = await callerOf(callerToken, plugin)
    if (!caller)
      throw unauthenticated('the caller token has expired, its caller has signed out, or it belongs to another plugin')
    if (caller.kind === 'plugin') throw unauthenticated('a plugin can act only on behalf of users')
    // These credentials come from the plugin, never from a browser.
    return caller.kind === 'user' ? { ...caller, via: 'token', through: plugin } : { ...caller, through: plugin }
  }
}

function isSame(token: string, shown: string): boolean {
  const [one, other] = [Buffer.from(token), Buffer.from(shown)]
  return one.length === other.length && timingSafeEqual(one, other)
}
