import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { ApiError } from '@pergola/api'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Answer, IncomingRequest } from '../base/call.ts'
import type { Log } from '../base/log.ts'
import type { Reply } from '../base/reply.ts'
import type { Stream } from '../base/wire.ts'
import { createAccessLog, type AccessLog, type OnAnswered } from './access-log.ts'
import { beginRelay } from './begin-relay.ts'
import { abortOnClose } from './abort-on-close.ts'
import type { ClientReader } from './client.ts'
import { trackConnections, type DrainOptions } from './connections.ts'
import type { Cors } from './cors.ts'
import { eventStreamWire } from './event-stream-wire.ts'
import { refuseMalformed } from './malformed.ts'
import { problemAnswer, toApiError } from '../base/problem-answer.ts'
import type { CheckClient } from './public-url-check.ts'
import { readBody } from './read-body.ts'
import { createUpgrade, wantsWebSocket } from './upgrades.ts'

/** A connection without progress for this long is closed, even during an upload or a stream. */
const stalledMs = 60_000
/** The whole request, body included, must arrive within this time. */
const requestMs = 300_000

export interface ListenerOptions {
  /** An address, or a Unix socket. */
  readonly at: { readonly host: string; readonly port: number } | { readonly socket: string }
  readonly log: Log
  readonly handle: (request: IncomingRequest) => Promise<Reply>
  readonly cors: Cors
  readonly clientOf: ClientReader
  /** Called for every client, before it is answered. */
  readonly checkClient: CheckClient
  readonly onAnswered?: OnAnswered
}

export interface Listener {
  readonly url: string
  readonly draining: boolean
  /** Lets every request in flight finish, then closes. Returns how many connections were cut at the deadline. */
  close(options: DrainOptions): Promise<number>
}

export async function listen(options: ListenerOptions): Promise<Listener> {
  const { at, log, handle, cors, clientOf, checkClient } = options
  const accessLog = createAccessLog(log, options.onAnswered)
  const app = Fastify({
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    connectionTimeout: stalledMs,
    requestTimeout: requestMs,
    http: { shouldUpgradeCallback: wantsWebSocket },
    // Called for a path that the router cannot decode; hooks do not run for it.
    frameworkErrors: (cause, request, reply) => {
      begin(request, reply)
      refuse(request, reply, new ApiError('BadRequest', 'the path is not percent-encoded UTF-8', { cause }))
    },
    clientErrorHandler: (error, socket) => refuseMalformed(log, error, socket),
  })
  const connections = trackConnections(app.server)
  const upgrade = createUpgrade({ log, handle, clientOf, checkClient })
  app.server.on('upgrade', (request, connection: Socket, head) => void upgrade(request, connection, head))
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    accessLog.begin(request, reply)
    connections.track(request.raw, reply.raw)
    // Set here, so that every answer has them.
    for (const [name, value] of Object.entries(cors.headersFor(request.headers))) reply.raw.setHeader(name, value)
  }
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) => {
    const { reason } = toApiError(error)
    accessLog.note(request, reason === 'Internal' ? { reason, err: error } : { reason })
    return send(request, reply, problemAnswer(error, { target: request.url, requestId: request.id }))
  }

  // Everything happens in the first hook: models come and go while the router is fixed once it runs, and nothing of the library
  // may read a body or its type before the caller is authorized.
  app.addHook('onRequest', async (request, reply) => {
    begin(request, reply)
    const preflight = cors.preflight(request.method, request.headers)
    if (preflight) return send(request, reply, preflight)
    const client = clientOf(request.raw)
    checkClient(client, request.url)
    const answer = await handle(incoming(request, reply, { accessLog, address: client.address }))
    if ('relay' in answer) {
      const sides = { request: request.raw, response: reply.raw }
      const { id: requestId } = request
      // A separate log line: that of the request may already be written.
      await beginRelay(answer, sides, (err) => log.warn({ requestId, err }, 'response aborted after it had begun'))
      return reply.hijack()
    }
    if ('open' in answer) return beginStream(reply, answer, { 'pergola-request-id': request.id })
    return send(
      request,
      reply,
      logged(answer, (err) => accessLog.note(request, { err })),
    )
  })
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error))
  app.all('/*', unreachable)
  app.setNotFoundHandler(unreachable)
  // Otherwise Node would ask a client for its body before the caller is authorized, or answer an unknown expectation with a
  // bare 417, although a server may ignore it.
  for (const expectation of ['checkContinue', 'checkExpectation']) {
    app.server.on(expectation, (request, response) => app.server.emit('request', request, response))
  }

  if ('socket' in at) await app.listen({ path: at.socket })
  else await bind(at.host, at.port, (address) => app.listen({ host: address, port: at.port }))
  return {
    url: 'socket' in at ? at.socket : urlOf(app.server.address() as AddressInfo),
    get draining() {
      return connections.draining
    },
    close: async (drainOptions) => {
      const cut = await connections.drain(drainOptions)
      await app.close()
      return cut
    },
  }
}

/** Binds one address: for a name with several, the library would open servers that are not drained. */
async function bind(host: string, port: number, open: (address: string) => Promise<unknown>): Promise<void> {
  try {
    const { address } = await lookup(host)
    await open(address)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new Error(`${host}:${port} is in use by another program; stop it or set server.port`, { cause: error })
    }
    throw new Error(`cannot listen on ${host}:${port} (${code ?? String(error)}); set server.host and server.port`, {
      cause: error,
    })
  }
}

/** Everything after the headers is written without the library. */
function beginStream(reply: FastifyReply, stream: Stream, headers: Readonly<Record<string, string>>): FastifyReply {
  const { raw } = reply
  whenOver(reply, () => stream.closed())
  reply.hijack()
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Tells proxies not to buffer the stream.
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  if (!raw.destroyed && raw.socket) stream.open(eventStreamWire(raw, raw.socket))
  return reply
}

interface Surroundings {
  readonly accessLog: AccessLog
  readonly address: string
}

function incoming(request: FastifyRequest, reply: FastifyReply, { accessLog, address }: Surroundings): IncomingRequest {
  const query = request.url.indexOf('?')
  return {
    id: request.id,
    method: request.method,
    target: request.url,
    headers: request.headers,
    query: new URLSearchParams(query < 0 ? '' : request.url.slice(query + 1)),
    address,
    readBody: (limit) => readBody(request.raw, reply.raw, limit),
    signal: () => abortOnClose(reply.raw, () => reply.raw.writableFinished),
    note: (facts) => accessLog.note(request, facts),
  }
}

function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  const { status, contentType, headers, cookies, body, end } = answer
  if (end) whenOver(reply, end)
  reply.code(status).headers({
    'content-type': contentType,
    'pergola-request-id': request.id,
    'x-content-type-options': 'nosniff',
    // After an upgrade that is not served, Node neither answers nor closes when the next request is malformed.
    ...(request.headers.upgrade !== undefined && { connection: 'close' }),
    ...headers,
    ...(cookies && { 'set-cookie': [...cookies] }),
  })
  // A 304 has no body, and a length would be taken for that of the object.
  if (status === 304) return reply.removeHeader('content-type').send()
  if (Buffer.isBuffer(body)) return reply.send(body)
  const stream = Readable.from(body, { objectMode: false })
  if (request.method !== 'HEAD') return reply.send(stream)
  stream.destroy()
  return reply.send()
}

/** Also when the client disconnected before there was an answer. */
function whenOver({ raw }: FastifyReply, end: () => void): void {
  if (raw.destroyed) end()
  else raw.once('close', end)
}

/** A stream that fails midway can only be reset; the reason is logged. */
function logged(answer: Answer, onError: (error: unknown) => void): Answer {
  const { body } = answer
  if (Buffer.isBuffer(body)) return answer
  const source = body[Symbol.asyncIterator]()
  let begun = false
  const next = async () => {
    begun = true
    try {
      return await source.next()
    } catch (error) {
      onError(error)
      throw error
    }
  }
  // A generator that was never started ends without running its `finally`, so start it: then `finally` releases what it holds.
  const end = async () => {
    if (!begun) await next()
    await source.return?.()
    return { done: true as const, value: undefined }
  }
  return { ...answer, body: { [Symbol.asyncIterator]: () => ({ next, return: end }) } }
}

function unreachable(): never {
  throw new Error('every request is answered in the first hook')
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
