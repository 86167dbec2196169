import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { Agent, request as httpRequest } from './node-http.ts'

/** Concurrent connections, including watches of controllers. */
const maxConnections = 128
/** Closes idle connections before the host does: a request sent on a closing connection would be lost. */
const idleMs = 2_000

/**
 * The subset of `fetch` that the client uses, over a Unix socket. The built-in `fetch` cannot use sockets; a library that can
 * takes 8 MB of memory per plugin.
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
      // Emitted after the whole response, or when no more will arrive.
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
