import type { IncomingMessage, ServerResponse } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import type { ProxyExchange, ProxiedAnswer } from '../call/proxied-answer.ts'
import { tooLarge } from './read-body.ts'

interface Sides {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Headers that name the replica. */
  readonly named: Readonly<Record<string, string>>
  /** Called when the answer is an event stream, which lasts as long as the client listens. */
  readonly onStream: () => void
  /** Called with the error of an answer that is cut off. */
  readonly onCut: (error: unknown) => void
}

/**
 * Lets the plugin answer. Rejects when it fails before the answer has begun; a later failure is logged and the answer is cut
 * off.
 */
export async function sendProxied(
  answer: ProxiedAnswer,
  { request, response, named, onStream, onCut }: Sides,
): Promise<void> {
  const exchange: ProxyExchange = {
    body: (limit) => bodyOf(request, response, limit),
    begin: (status, headers) => {
      if (String(headers['content-type']).startsWith('text/event-stream')) onStream()
      response.writeHead(status, Object.assign(headers, named))
      // Flush the headers, so that the client of a stream learns at once that it is open, however long it is silent.
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
    await answer.proxy(exchange)
  } catch (error) {
    if (!response.headersSent) throw error
    onCut(error)
    // A partial answer must not look complete.
    response.destroy()
  }
}

function bodyOf(request: IncomingMessage, response: ServerResponse, limit: number): Readable | undefined {
  const { 'content-length': announced, 'transfer-encoding': encoding, expect } = request.headers
  if (announced === undefined && encoding === undefined) return undefined
  if (Number(announced ?? 0) > limit) throw tooLarge(limit)
  if (/^100-continue$/i.test(expect ?? '')) response.writeContinue()
  // A body with a content length cannot exceed it.
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
