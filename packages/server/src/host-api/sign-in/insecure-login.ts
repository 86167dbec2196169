import type { Config } from '../../config/config.ts'
import type { Log } from '../../base/log.ts'
import { isLoopback } from '../../base/loopback.ts'

/** The reason why sign-in is refused: a password would be sent unencrypted. */
export function insecureLogin(publicUrl: URL, { server }: Config): string | undefined {
  if (publicUrl.protocol === 'https:' || isLoopback(publicUrl) || server.allowInsecureLogin) return undefined
  return 'nobody can sign in over plain http: serve https and set server.publicUrl to it, or set server.allowInsecureLogin: true'
}

/** Without the setting, the server's own address counts, such as http://0.0.0.0: no browser sends that as its origin. */
export function warnOfMissingUrl({ server: { host, publicUrl } }: Config, log: Log): void {
  if (publicUrl !== undefined || isLoopback(new URL(`http://${host.includes(':') ? `[${host}]` : host}`))) return
  const words = 'nobody can sign in from another machine; set server.publicUrl to the address that people use'
  log.warn({ setting: 'server.publicUrl', host }, words)
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
