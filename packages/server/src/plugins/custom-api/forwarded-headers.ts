import type { IncomingHttpHeaders } from 'node:http'
import { traceHeaders } from '../../base/trace-parent.ts'
import { ownTraceParent } from '../../base/tracing.ts'

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const mostNames = 500

/** A plugin gets the caller's name, but never the caller's secret. */
const toPlugin = remembering(
  (name) =>
    !ofConnection.has(name) &&
    !/^(cookie|authorization|host|expect|traceparent|tracestate|proxy-.*|pergola-.*)$/.test(name),
)
/** An answer of a plugin must not affect the host's own pages, nor a proxy in front of the host. */
const fromPlugin = remembering((name) =>
  /^(content-(type|length|encoding|language|disposition|range)|accept-ranges|cache-control|etag|last-modified|expires|age|vary|location|retry-after|link|allow|deprecation|sunset|ratelimit(-.*)?)$/.test(
    name,
  ),
)

/** Isolates plugin responses, opened in a browser, from the host's own pages. */
const added = { 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' }

/** What the host adds to a forwarded request. */
export interface ProxiedHead {
  /** Proves to the plugin that the request comes from the host. */
  readonly authorization: string
  readonly requestId: string
  /** The caller, without a name if anonymous, and the token by which the plugin can act for it. */
  readonly caller: { readonly name: string | undefined; readonly token: string }
}

/** The headers of a request to a plugin. */
export function headersToPlugin(
  headers: IncomingHttpHeaders,
  { authorization, requestId, caller }: ProxiedHead,
): Record<string, string | string[]> {
  const result = passed(headers, toPlugin)
  result['authorization'] = authorization
  result['pergola-request-id'] = requestId
  Object.assign(result, traceHeaders(headers, requestId, ownTraceParent()))
  if (caller.name !== undefined) result['pergola-caller'] = caller.name
  result['pergola-caller-token'] = caller.token
  return result
}

export interface Answered {
  readonly requestId: string
  /** Headers that pass in addition to the usual ones; in lower case. */
  readonly named?: readonly string[] | undefined
}

/** The headers of an answer from a plugin. */
export function headersFromPlugin(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  { requestId, named }: Answered,
): Record<string, string | string[]> {
  const passes = named === undefined ? fromPlugin : (name: string) => fromPlugin(name) || named.includes(name)
  return Object.assign(passed(headers, passes), added, { 'pergola-request-id': requestId })
}

function passed(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  passes: (name: string) => boolean,
): Record<string, string | string[]> {
  // `Connection` can name any header as hop-by-hop.
  const connection = headers['connection']
  const ofHop =
    connection === undefined
      ? []
      : String(connection)
          .split(',')
          .map((name) => name.trim().toLowerCase())
  const result: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && passes(name) && !ofHop.includes(name)) result[name] = value
  }
  return result
}

/** Most requests have the same headers, so the result is cached for a limited number of names. */
function remembering(decide: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const decided = decide(name)
    if (known.size < mostNames) known.set(name, decided)
    return decided
  }
}
