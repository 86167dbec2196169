import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Streams the response with backpressure. An error cuts the connection, so that the response does not look complete. */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  const { status, headers, body } = response
  to.statusCode = status
  for (const [name, value] of headers) {
    if (name === 'set-cookie') to.appendHeader(name, value)
    else to.setHeader(name, value)
  }
  if (to.req.method === 'HEAD' || body === null) {
    await body?.cancel()
    to.end()
    return
  }
  // Sends the headers of a stream at once.
  if (!headers.has('content-length')) to.flushHeaders()
  await pipeline(Readable.fromWeb(body as never), to)
}

/** Sends a JSON document of the SDK itself. No headers may have been sent. */
export function sendJson(
  to: ServerResponse,
  value: unknown,
  { status = 200, contentType = 'application/json', headers = {} }: JsonOptions = {},
): void {
  const bytes = Buffer.from(JSON.stringify(value))
  to.writeHead(status, { ...headers, 'content-type': contentType, 'content-length': bytes.byteLength })
  to.end(to.req.method === 'HEAD' ? undefined : bytes)
}

interface JsonOptions {
  readonly status?: number
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}
