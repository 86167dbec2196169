import { randomUUID } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { ApiError } from '@pergola/api'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Answer, IncomingRequest } from '../base/call.ts'
import type { Log } from '../base/log.ts'
import { createAccessLog, type AccessLog } from './access-log.ts'
import { trackConnections } from './connections.ts'
import { problemAnswer, toApiError } from './problem-answer.ts'
import { readBody } from './read-body.ts'

/** A connection on which nothing moves for this long is given up, in the middle of an upload or a stream too. */
const stalledMs = 60_000
/** The whole request, body included, must have come in by then. */
const requestMs = 300_000

export interface ListenerOptions {
  readonly host: string
  readonly port: number
  readonly log: Log
  readonly handle: (request: IncomingRequest) => Promise<Answer>
}

export interface Listener {
  readonly url: string
  readonly draining: boolean
  /** Stops taking connections, lets every request in flight finish, closes. Answers how many the deadline cut. */
  close(timeoutMs: number): Promise<number>
}

export async function listen({ host, port, log, handle }: ListenerOptions): Promise<Listener> {
  const accessLog = createAccessLog(log)
  const app = Fastify({
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    connectionTimeout: stalledMs,
    requestTimeout: requestMs,
    // A path that the router cannot decode comes here, past all hooks.
    frameworkErrors: (cause, request, reply) => {
      accessLog.begin(request, reply)
      refuse(request, reply, new ApiError('BadRequest', 'the path is not percent-encoded UTF-8', { cause }))
    },
    clientErrorHandler: refuseMalformed,
  })
  const connections = trackConnections(app.server)
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) => {
    const { reason } = toApiError(error)
    accessLog.note(request, reason === 'Internal' ? { reason, err: error } : { reason })
    return send(request, reply, problemAnswer(error, { target: request.url, requestId: request.id }))
  }

  // Bodies are read by whoever needs them, after authorization; until then they stay in the socket.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  app.addHook('onRequest', (request, reply, done) => {
    accessLog.begin(request, reply)
    connections.track(reply.raw)
    done()
  })
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error))

  // Models come and go while the router is fixed once it runs, so there is one route and the line behind it decides.
  const respond = async (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, await handle(incoming(request, accessLog)))
  app.all('/*', respond)
  app.setNotFoundHandler(respond)

  try {
    await app.listen({ host, port })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`${host}:${port} is in use by another program; stop it or set server.port`, { cause: error })
  }
  return {
    url: urlOf(app.server.address() as AddressInfo),
    get draining() {
      return connections.draining
    },
    close: async (timeoutMs) => {
      const cut = await connections.drain(timeoutMs)
      await app.close()
      return cut
    },
  }
}

function incoming(request: FastifyRequest, accessLog: AccessLog): IncomingRequest {
  const query = request.url.indexOf('?')
  return {
    method: request.method,
    target: request.url,
    headers: request.headers,
    query: new URLSearchParams(query < 0 ? '' : request.url.slice(query + 1)),
    readBody: (limit) => readBody(request.raw, limit),
    get signal() {
      return request.signal
    },
    note: (facts) => accessLog.note(request, facts),
  }
}

function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  const { status, contentType, headers, body } = answer
  reply.code(status).headers({
    'content-type': contentType,
    'pergola-request-id': request.id,
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  if (Buffer.isBuffer(body)) return reply.send(body)
  // Asked only for the head, a stream is not even begun.
  return request.method === 'HEAD' ? reply.send() : reply.send(Readable.from(body, { objectMode: false }))
}

/** Bytes that are not HTTP: there is no request yet, so the answer is written by hand. */
function refuseMalformed(cause: Error, socket: Socket): void {
  if (socket.writable) {
    const error = new ApiError('BadRequest', 'these bytes are not an HTTP/1.1 request', { cause })
    const { contentType, body } = problemAnswer(error, { target: '', requestId: randomUUID() })
    socket.write(`HTTP/1.1 400 Bad Request\r\ncontent-type: ${contentType}\r\nconnection: close\r\n\r\n`)
    socket.write(body)
  }
  socket.destroySoon()
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
