import type { IncomingHttpHeaders } from 'node:http'

/** Of one connection, never of the request that it carries (RFC 9110, 7.6.1). */
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

/** A plugin is told who calls, never by what secret; what it answers must not reach into the host's own pages. */
const isKeptFromPlugin = remembering(/^(cookie|authorization|host|expect|proxy-.*|pergola-.*)$/)
const isKeptFromClient = remembering(
  /^(set-cookie2?|clear-site-data|service-worker-allowed|strict-transport-security|access-control-.*|proxy-.*|pergola-.*|content-security-policy|content-security-policy-report-only|x-content-type-options)$/,
)

/** Whoever looks at an answer of a plugin in a browser is not in the host's own pages. */
const added = { 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' }

/** What the host says of a request that it hands on. */
export interface HandedOn {
  /** Shows the plugin that it is us. */
  readonly authorization: string
  readonly requestId: string
  /** Who calls, without a name when it has not signed in, and what the plugin can act for it by. */
  readonly caller: { readonly name: string | undefined; readonly token: string }
}

/** The headers of a request on its way to a plugin. */
export function headersToPlugin(
  headers: IncomingHttpHeaders,
  { authorization, requestId, caller }: HandedOn,
): Record<string, string | string[]> {
  return {
    ...passed(headers, isKeptFromPlugin),
    authorization,
    'pergola-request-id': requestId,
    ...(caller.name !== undefined && { 'pergola-caller': caller.name }),
    'pergola-caller-token': caller.token,
  }
}

/** The headers of an answer on its way from a plugin. */
export function headersFromPlugin(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  requestId: string,
): Record<string, string | string[]> {
  return { ...passed(headers, isKeptFromClient), ...added, 'pergola-request-id': requestId }
}

function passed(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  isKept: (name: string) => boolean,
): Record<string, string | string[]> {
  // By what a connection names, anything can be said to be its own.
  const connection = headers['connection']
  const named =
    connection === undefined
      ? []
      : String(connection)
          .split(',')
          .map((name) => name.trim().toLowerCase())
  const result: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !isKept(name) && !named.includes(name)) result[name] = value
  }
  return result
}

/** Most requests have the same headers: what was found out of a name is remembered, of some names. */
function remembering(kept: RegExp): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const isKept = ofConnection.has(name) || kept.test(name)
    if (known.size < mostNames) known.set(name, isKept)
    return isKept
  }
}
