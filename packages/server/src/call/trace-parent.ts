import type { IncomingHttpHeaders } from 'node:http'

/** The header of W3C Trace Context, by which the parts of a request in several programs are found together. */
const form = /^00-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** The trace that a client names; undefined if it names none, or in a form that cannot be used. */
export function traceOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' ? form.exec(traceparent)?.[1] : undefined
}

/** The headers to send on: those of the client, or of a trace that begins with the request. */
export function traceHeaders(headers: IncomingHttpHeaders, requestId: string): Readonly<Record<string, string>> {
  const { traceparent, tracestate } = headers
  if (traceOf(headers) === undefined) {
    const id = requestId.replaceAll('-', '')
    return { traceparent: `00-${id}-${id.slice(16)}-00` }
  }
  return { traceparent: String(traceparent), ...(tracestate !== undefined && { tracestate: String(tracestate) }) }
}
