import type { IncomingMessage } from 'node:http'
import { ApiError } from '@pergola/api'

/** Reads the whole body. Fails with 413 when the stream exceeds its bound. */
export async function readBody(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Reads a message that no handler gets, without converting it to a `Request`. */
export function readMessage(message: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    message.on('data', (chunk: Uint8Array) => {
      bytes += chunk.byteLength
      if (bytes <= maxBytes) chunks.push(chunk)
      else reject(tooLarge(maxBytes))
    })
    message.once('end', () => resolve(Buffer.concat(chunks)))
    message.once('error', reject)
  })
}

/** Parses JSON; throws a 400 that says where parsing failed. */
export function parseJson(bytes: Uint8Array): unknown {
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ApiError('BadRequest', 'the body is not UTF-8', { cause })
  }
  if (text.trim() === '') throw new ApiError('BadRequest', 'a body is needed: send JSON')
  try {
    return JSON.parse(text, text.includes('__proto__') ? refuseProto : undefined) as unknown
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('BadRequest', `the body is no JSON: ${(cause as Error).message}`, { cause })
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new ApiError('BadRequest', 'the body has a field "__proto__"; leave it out')
  return value
}

/** Passes the stream through and fails with 413 after `maxBytes`. */
export function bounded(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) controller.error(tooLarge(maxBytes))
        else controller.enqueue(chunk)
      },
    }),
  )
}

export function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PayloadTooLarge', `the body has more than ${maxBytes} bytes, the limit here`)
}
