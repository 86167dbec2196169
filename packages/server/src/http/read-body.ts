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
  return bytesOf(message, limit)
}

/** By events: an async iterator takes 40 µs more of a small body. */
function bytesOf(message: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (done: () => void) => {
      message.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      done()
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) return void chunks.push(chunk)
      settle(() => reject(tooLarge(limit)))
      message.resume()
    }
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, size)))
    const cut = (cause?: Error) =>
      new ApiError('BadRequest', `the body ended after ${size} bytes, before it was whole`, { cause })
    const onError = (error: Error) => settle(() => reject(message.destroyed ? cut(error) : error))
    const onClose = () => settle(() => reject(cut()))
    // Nothing tells of a connection that broke before.
    if (message.destroyed) return onClose()
    message.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}

export function tooLarge(limit: number): ApiError {
  return new ApiError('PayloadTooLarge', `the body is larger than ${limit} bytes`, { params: { limit } })
}
