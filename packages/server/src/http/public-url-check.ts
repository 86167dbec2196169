import type { Log } from '../base/log.ts'
import { isLoopback } from '../base/loopback.ts'
import { shortened } from '../base/shortened.ts'
import type { Client } from './client.ts'

export interface PublicUrlCheckParts {
  readonly publicUrl: () => string
  /** Whether the public URL is configured, or only the address that the server listens on. */
  readonly isSet: boolean
  readonly log: Log
}

export type CheckClient = (client: Client, target: string) => void

/** Health checks use arbitrary addresses. */
const health = /^\/(livez|readyz)(\?|$)/

/**
 * Warns the operator if users reach the host by another address than the configured one: otherwise sign-in would fail without
 * a visible reason. Warns once per setting and process, whatever clients send.
 */
export function createPublicUrlCheck({ publicUrl, isSet, log }: PublicUrlCheckParts): CheckClient {
  const told = new Set<string>()
  const tell = (setting: string, facts: object, message: string) => {
    if (told.has(setting)) return
    told.add(setting)
    log.warn({ setting, ...facts }, message)
  }
  /** Caches the most frequent value, so that most requests cost one comparison. */
  let usual: string | undefined
  return ({ address, host, scheme, hasUntrustedWords }, target) => {
    if (health.test(target)) return
    if (hasUntrustedWords) tell('http.trustedProxies', { address }, untrusted)
    const sent = `${scheme ?? ''} ${host ?? ''}`
    if (host === undefined || sent === usual || told.has('server.publicUrl')) return
    const expected = new URL(publicUrl())
    const facts = { publicUrl: expected.origin, host: shortened(host) }
    if (!isSameHost(host, expected, isSet)) tell('server.publicUrl', facts, isSet ? otherHost : unsetHost)
    else if (scheme !== undefined && `${scheme}:` !== expected.protocol)
      tell('server.publicUrl', { ...facts, scheme: shortened(scheme) }, otherScheme)
    else usual = sent
  }
}

const untrusted =
  'X-Forwarded-For is ignored, since it does not come from a trusted proxy; if this is your proxy, add it to http.trustedProxies'
const otherHost = 'a request used another host than server.publicUrl; change it, or let the proxy keep the Host header'
const unsetHost = 'a request came for a host that is not known; set server.publicUrl to the address that people use'
const otherScheme =
  'a request used another scheme than server.publicUrl; change it, or let the proxy send the right X-Forwarded-Proto'

function isSameHost(host: string, expected: URL, isSet: boolean): boolean {
  const sent = URL.parse(`${expected.protocol}//${host}`)
  if (sent?.host === expected.host) return true
  // Without a configured URL, all names of this machine are accepted.
  return !isSet && sent !== null && isLoopback(sent)
}
