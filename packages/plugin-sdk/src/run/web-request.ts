import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { bounded, tooLarge } from './read-body.ts'

/** Headers between host and plugin that handlers must not see. */
const keptBack = new Set(['authorization', 'pergola-caller-token'])

/** Creates the handler's `Request`. Streams the body, up to `maxBody` bytes. */
export function webRequest(message: IncomingMessage, maxBody: number, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = message
  const headers = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    keptBack.has(name) ? [] : values.map((value): [string, string] => [name, value]),
  )
  const announced = Number(message.headers['content-length'] ?? 0)
  if (announced > maxBody) throw tooLarge(maxBody)
  const hasBody = announced > 0 || message.headers['transfer-encoding'] !== undefined
  const takesBody = method !== 'GET' && method !== 'HEAD'
  const stream = hasBody && takesBody ? bounded(Readable.toWeb(message) as ReadableStream<Uint8Array>, maxBody) : null
  // `duplex`: the response may begin before the body has ended.
  const init = { method, headers, signal, body: stream, duplex: 'half' }
  return new Request(`http://plugin${url}`, init)
}
