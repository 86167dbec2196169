import type { IncomingMessage } from 'node:http'
import { ApiError } from '@pergola/api'

/**
 * Reads the whole body into memory, but never more than `limit` bytes of it. What is left unread is drained behind
 * the answer, so that a client still sending gets to see it.
 */
export async function readBody(message: IncomingMessage, limit: number): Promise<Buffer> {
  const announced = Number(message.headers['content-length'] ?? 0)
  if (announced > limit) throw tooLarge(limit)
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

function tooLarge(limit: number): ApiError {
  return new ApiError('PayloadTooLarge', `the body is larger than ${limit} bytes`)
}
