import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gzip, gzipSync } from 'node:zlib'
import type { Answer } from '../call/call.ts'

/** A smaller body would hardly arrive sooner. */
const leastBytes = 1_024
/** A larger body is compressed away from the thread that serves requests. */
const mostHereBytes = 64 * 1_024
/** The fastest: lists differ by few bytes when more is tried, and take up to twice as long. */
const effort = { level: 1, windowBits: 13, memLevel: 7 }
const inBackground = promisify(gzip)

/** The answer as gzip, if the client accepts that and the body is large enough. */
export async function compressed(answer: Answer, acceptEncoding: string | undefined): Promise<Answer> {
  const { status, headers, body } = answer
  const isSmall = Buffer.isBuffer(body) && body.length < leastBytes
  if (status !== 200 || isSmall || !acceptsGzip(acceptEncoding)) return answer
  const etag = headers?.['etag']
  // Weak, because the bytes are others than without compression.
  const marks = { 'content-encoding': 'gzip', ...(etag !== undefined && { etag: `W/${etag}` }) }
  return { ...answer, headers: { ...headers, ...marks }, body: await zipped(body) }
}

/** By name, or by `*`. */
export function acceptsGzip(acceptEncoding = ''): boolean {
  const accepted = new Map(
    acceptEncoding.split(',').map((one) => {
      const [name = '', weight = ''] = one.toLowerCase().split(';')
      return [name.trim(), !/^\s*q=0(\.0*)?\s*$/.test(weight)]
    }),
  )
  return accepted.get('gzip') ?? accepted.get('*') ?? false
}

function zipped(body: Answer['body']): Answer['body'] | Promise<Buffer> {
  if (!Buffer.isBuffer(body)) return zippedParts(body)
  return body.length > mostHereBytes ? inBackground(body, effort) : gzipSync(body, effort)
}

/** An exception among the parts is one here. */
async function* zippedParts(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const zip = createGzip(effort)
  const feeding = pipeline(parts, zip)
  // The same error ends the loop.
  feeding.catch(() => {})
  for await (const part of zip) yield part as Buffer
}
