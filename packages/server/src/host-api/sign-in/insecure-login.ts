import type { Config } from '../../config/config.ts'
import type { Log } from '../../base/log.ts'
import { isLoopback } from '../../base/loopback.ts'

/** The reason why sign-in is refused: a password would be sent unencrypted. */
export function insecureLogin(publicUrl: URL, { server }: Config): string | undefined {
  if (publicUrl.protocol === 'https:' || isLoopback(publicUrl) || server.allowInsecureLogin) return undefined
  return 'nobody can sign in over plain http: serve https and set server.publicUrl to it, or set server.allowInsecureLogin: true'
}

/** Warns the operator at each start: the setting is meant for a trial and easily forgotten. */
export function warnOfInsecureLogin({ server }: Config, log: Log): void {
  if (!server.allowInsecureLogin) return
  const risk = 'passwords and sessions that are sent over plain http can be intercepted'
  log.warn(
    { setting: 'server.allowInsecureLogin' },
    `${risk}; serve https, set server.publicUrl to it, and remove server.allowInsecureLogin`,
  )
}
