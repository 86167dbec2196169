import type { IncomingHttpHeaders } from 'node:http'

/** The header of W3C Trace Context, by which the parts of a request in several programs are found together. */
const form = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/

export interface NamedTrace {
  readonly traceId: string
  /** The part of the client. */
  readonly spanId: string
}

/** The trace that a client names; undefined if it names none, or in a form that cannot be used. */
export function traceIn({ traceparent }: IncomingHttpHeaders): NamedTrace | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, traceId, spanId] = form.exec(traceparent) ?? []
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId }
}

/** The headers to send on: `own` if this server traces, else those of the client, or of a trace that begins with the request. */
export function traceHeaders(
  headers: IncomingHttpHeaders,
  requestId: string,
  own?: string,
): Readonly<Record<string, string>> {
  const { traceparent, tracestate } = headers
  if (traceIn(headers) === undefined) {
    const id = requestId.replaceAll('-', '')
    return { traceparent: own ?? `00-${id}-${id.slice(16)}-00` }
  }
  return {
    traceparent: own ?? String(traceparent),
    ...(tracestate !== undefined && { tracestate: String(tracestate) }),
  }
}
