import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { bounded, tooLarge } from './read-body.ts'

/** What is between host and plugin, and nothing of a handler's. */
const keptBack = new Set(['authorization', 'pergola-caller-token'])

/** The request as handlers get it: its body comes as it is read, up to a bound. */
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
  // `duplex`: an answer may begin before the body has ended.
  const init = { method, headers, signal, body: stream, duplex: 'half' }
  return new Request(`http://plugin${url}`, init)
}
