import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gzip, gzipSync } from 'node:zlib'
import type { Answer } from '../call/call.ts'

/** A smaller body would hardly arrive sooner. */
const leastBytes = 1_024
/** Compressing more takes the thread that serves requests longer than handing it to the thread pool. */
const mostHereBytes = 4 * 1_024
/** Level 4 makes lists a tenth smaller and takes 1.4 times as long: `npm run bench -- compression`. */
export const effort = { level: 1, windowBits: 13, memLevel: 7 }
const inPool = promisify(gzip)

/** The answer as gzip, if the client prefers that and the body is large enough. */
export async function negotiated(
  given: Answer,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
): Promise<Answer> {
  if (given.headers?.['content-encoding'] !== undefined) return given
  const plain = { ...given, headers: headersOfEither(given) }
  if (given.status !== 200 || !prefersGzip(headers['accept-encoding']?.toString())) return plain
  const body = Buffer.isBuffer(given.body) ? given.body : await begun(given.body)
  if (Buffer.isBuffer(body) && body.length < leastBytes) return { ...plain, body }
  const marked = { ...plain, headers: { ...plain.headers, 'content-encoding': 'gzip' } }
  // In parts, so that it has no length: that of the compressed body is unknown without compressing it.
  if (method === 'HEAD') return { ...marked, body: Buffer.isBuffer(body) ? inOnePart(body) : body }
  return { ...marked, body: await zipped(body) }
}

/** Whether the header accepts gzip, by name or by `*`, and does not rate `identity` higher. */
export function prefersGzip(acceptEncoding = ''): boolean {
  const weights = new Map<string, number>()
  for (const one of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim())
    weights.set(name, Math.min(weights.get(name) ?? 1, weightIn(parameters)))
  }
  const weight = weights.get('gzip') ?? weights.get('*') ?? 0
  return weight > 0 && weight >= (weights.get('identity') ?? 0)
}

/** A malformed weight refuses the encoding, because every client reads the plain body. */
function weightIn([weight, ...others]: readonly string[]): number {
  if (weight === undefined) return 1
  return others.length === 0 && /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0
}

/** The tag is weak in both encodings, whose bytes differ, so that a 304 matches a copy of either. */
function headersOfEither({ headers = {} }: Answer): Readonly<Record<string, string>> {
  const { etag, vary } = headers
  return {
    ...headers,
    vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`,
    ...(etag !== undefined && { etag: etag.startsWith('W/') ? etag : `W/${etag}` }),
  }
}

/** The whole body if it is small; otherwise the same parts. */
async function begun(parts: AsyncIterable<Buffer>): Promise<Answer['body']> {
  const reading = parts[Symbol.asyncIterator]()
  const read: Buffer[] = []
  for (let length = 0; length < leastBytes; length += read.at(-1)?.length ?? 0) {
    const { done, value } = await reading.next()
    if (done) return Buffer.concat(read)
    read.push(value)
  }
  return resumed(read, reading)
}

async function* resumed(read: readonly Buffer[], reading: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* read
    yield* { [Symbol.asyncIterator]: () => reading }
  } finally {
    await reading.return?.()
  }
}

async function* inOnePart(body: Buffer): AsyncGenerator<Buffer> {
  yield body
}

function zipped(body: Answer['body']): Answer['body'] | Promise<Buffer> {
  if (!Buffer.isBuffer(body)) return zippedParts(body)
  return body.length > mostHereBytes ? inPool(body, effort) : gzipSync(body, effort)
}

/** An exception among the parts is one here. */
async function* zippedParts(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const zip = createGzip(effort)
  const feeding = pipeline(parts, zip)
  // The same error ends the loop.
  feeding.catch(() => {})
  for await (const part of zip) yield part as Buffer
}
