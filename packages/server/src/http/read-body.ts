import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '@pergola/api'

/**
 * Reads the whole body into memory, up to `limit` bytes. The rest is drained after the answer, so that a client still sending
 * can read it. Sends `100 Continue` only here.
 */
export async function readBody(message: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> {
  const encoding = message.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw new ApiError('UnsupportedMediaType', `send the body as it is, not encoded as ${encoding}`)
  const announced = Number(message.headers['content-length'] ?? 0)
  if (announced > limit) throw tooLarge(limit)
  if (/^100-continue$/i.test(message.headers.expect ?? '')) response.writeContinue()
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw tooLarge(limit)
      chunks.push(chunk)
    }
  } catch (error) {
    message.resume()
    if (!message.destroyed) throw error
    throw new ApiError('BadRequest', `the body ended after ${size} bytes, before it was whole`, { cause: error })
  }
  return Buffer.concat(chunks, size)
}

export function tooLarge(limit: number): ApiError {
  return new ApiError('PayloadTooLarge', `the body is larger than ${limit} bytes`, { params: { limit } })
}
