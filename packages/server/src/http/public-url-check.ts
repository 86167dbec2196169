import type { Log } from '../base/log.ts'
import { isLoopback } from '../base/loopback.ts'
import { shortened } from '../base/shortened.ts'
import type { Client } from './client.ts'

export interface PublicUrlCheckParts {
  readonly publicUrl: () => string
  /** Whether the configuration says it, or it is only where we listen. */
  readonly isSet: boolean
  readonly log: Log
}

export type CheckClient = (client: Client, target: string) => void

/** Asked by machines, at whatever address they know. */
const health = /^\/(livez|readyz)(\?|$)/

/**
 * Tells the operator when people come by another address than the configuration has: else signing in would fail for no
 * visible reason. Once a setting and process, however many clients write whatever they like.
 */
export function createPublicUrlCheck({ publicUrl, isSet, log }: PublicUrlCheckParts): CheckClient {
  const told = new Set<string>()
  const tell = (setting: string, facts: object, message: string) => {
    if (told.has(setting)) return
    told.add(setting)
    log.warn({ setting, ...facts }, message)
  }
  /** As most requests have it, so that they cost no more than a comparison. */
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
const otherHost =
  'a request came for another host than server.publicUrl says; change it, or let the proxy keep the Host header'
const unsetHost = 'a request came for a host that is not known; set server.publicUrl to the address that people use'
const otherScheme =
  'a request came by another scheme than server.publicUrl says; change it, or let the proxy send the right X-Forwarded-Proto'

function isSameHost(host: string, expected: URL, isSet: boolean): boolean {
  const sent = URL.parse(`${expected.protocol}//${host}`)
  if (sent?.host === expected.host) return true
  // Where nothing is set, this machine has many names, and all of them are right.
  return !isSet && sent !== null && isLoopback(sent)
}
