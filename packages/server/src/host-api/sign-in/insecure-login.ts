import type { Config } from '../../base/config.ts'
import { isLoopback } from '../../base/loopback.ts'

/** The reason why sign-in is refused: a password would be sent unencrypted. */
export function insecureLogin(publicUrl: URL, { server }: Config): string | undefined {
  if (publicUrl.protocol === 'https:' || isLoopback(publicUrl) || server.allowInsecureLogin) return undefined
  return 'nobody can sign in over plain http: serve https and set server.publicUrl to it, or set server.allowInsecureLogin: true'
}
