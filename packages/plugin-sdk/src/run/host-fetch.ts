import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** At a time; watches of controllers are among them. */
const maxConnections = 128
/** An idle connection is closed by us before the host does it: a request on one that is just being closed would be lost. */
const idleMs = 2_000

/**
 * `fetch` over a Unix socket, as far as the client uses it. The runtime's own has no way to a socket; a library that has
 * takes 8 MB of every plugin's memory.
 */
export function createHostFetch(socketPath: string): typeof globalThis.fetch {
  const agent = new Agent({ keepAlive: true, maxSockets: maxConnections, maxFreeSockets: 4, timeout: idleMs })
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      if (signal?.aborted) return reject(reasonOf(signal))
      const sent = httpRequest({ agent, socketPath, method, path: `${pathname}${search}`, headers: plain(headers) })
      const abort = () => {
        const reason = signal ? reasonOf(signal) : undefined
        answer?.destroy(reason)
        sent.destroy(reason)
      }
      let answer: IncomingMessage | undefined
      signal?.addEventListener('abort', abort, { once: true })
      // Closed when the whole answer has come, or when nothing more will.
      sent.once('close', () => signal?.removeEventListener('abort', abort))
      sent.on('error', reject)
      sent.once('response', (message) => {
        answer = message
        resolve(responseOf(message))
      })
      sent.end(body)
    })
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 502, headersDistinct } = message
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const isEmpty = status === 204 || status === 304
  if (isEmpty) message.on('error', () => {}).resume()
  return new Response(isEmpty ? null : (Readable.toWeb(message) as ReadableStream), { status, headers })
}

function plain(headers: HeadersInit | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(headers))
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}
