import type { IncomingMessage, ServerResponse } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import type { Exchange, Relay } from '../base/relay.ts'
import { tooLarge } from './read-body.ts'

interface Sides {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Lets somebody else answer. Rejects when that fails before the answer has begun; later it is noted, and cut. */
export async function beginRelay(
  relay: Relay,
  { request, response }: Sides,
  note: (error: unknown) => void,
): Promise<void> {
  const exchange: Exchange = {
    body: (limit) => bodyOf(request, response, limit),
    begin: (status, headers) => {
      response.writeHead(status, headers)
      // Whoever opens a stream learns at once that there is one, however long it is silent.
      if (headers['content-length'] === undefined) response.flushHeaders()
      return response
    },
    whenGone: (stop) => {
      if (response.destroyed) return stop()
      response.once('close', () => {
        if (!response.writableFinished) stop()
      })
    },
  }
  try {
    await relay.relay(exchange)
  } catch (error) {
    if (!response.headersSent) throw error
    note(error)
    // Half an answer must not look whole.
    response.destroy()
  }
}

function bodyOf(request: IncomingMessage, response: ServerResponse, limit: number): Readable | undefined {
  const { 'content-length': announced, 'transfer-encoding': encoding, expect } = request.headers
  if (announced === undefined && encoding === undefined) return undefined
  if (Number(announced ?? 0) > limit) throw tooLarge(limit)
  if (/^100-continue$/i.test(expect ?? '')) response.writeContinue()
  // What says how long it is cannot be longer.
  return announced === undefined ? request.pipe(bounded(limit)) : request
}

function bounded(limit: number): Transform {
  let size = 0
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      size += chunk.length
      if (size > limit) done(tooLarge(limit))
      else done(null, chunk)
    },
  })
}
