import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Answer, IncomingRequest } from '../call/call.ts'
import type { Log } from '../base/log.ts'
import type { Reply } from '../call/reply.ts'
import type { Stream } from '../call/wire.ts'
import { createAccessLog, type AccessLine, type OnAnswered } from './access-log.ts'
import { negotiated } from './compress.ts'
import { sendProxied } from './send-proxied.ts'
import { abortOnClose } from './abort-on-close.ts'
import type { Certificate } from '../config/tls-certificate.ts'
import type { Client, ClientReader } from './client.ts'
import { trackConnections, type Connections, type DrainOptions } from './connections.ts'
import type { Cors } from './cors.ts'
import { eventStreamWire } from './event-stream-wire.ts'
import { refuseMalformed } from './malformed.ts'
import { problemAnswer, toApiError } from '../call/problem-answer.ts'
import type { CheckClient } from './public-url-check.ts'
import { requestName } from './request-name.ts'
import { readBody } from './read-body.ts'
import { createUpgrade, wantsWebSocket } from './upgrades.ts'
import { refuseRepeatedCredentials } from './repeated-credentials.ts'

/** A connection without progress for this long is closed, even during an upload or a stream. */
export const stalledMs = 60_000
/** The whole request, body included, must arrive within this time. */
export const requestMs = 300_000
const handshakeMs = 10_000
/** Longer than proxies and load balancers keep an idle connection, so that they close it first. */
const idleMs = 72_000

export interface ListenerOptions {
  /** An address, or a Unix socket. */
  readonly at: ListenAddress
  readonly log: Log
  /** Named in every response. */
  readonly replica?: string
  /** To speak https; plain http without it. */
  readonly certificate?: Certificate | undefined
  /** Whether answers that may be compressed are, for clients that accept it. */
  readonly compresses?: boolean
}

type ListenAddress = { readonly host: string; readonly port: number } | { readonly socket: string }

/** What a listener serves, known once all parts exist. */
interface Serving {
  readonly handle: (request: IncomingRequest) => Promise<Reply>
  readonly cors: Cors
  readonly clientOf: ClientReader
  /** Called for every client, before it is answered. */
  readonly checkClient: CheckClient
  readonly onAnswered?: OnAnswered
}

export interface Listener {
  /** Throws before it is open: the port may be chosen by the system. */
  readonly url: string
  readonly draining: boolean
  open(serving: Serving): Promise<void>
  /** Uses another certificate for connections from now on; open ones keep theirs. */
  readonly renew: (certificate: Certificate) => void
  /** Lets every request in flight finish, then closes. Returns how many connections were cut at the deadline. */
  close(options: DrainOptions): Promise<number>
}

/** A request and its answer. */
interface Served {
  readonly id: string
  readonly client: Client
  /** Headers that name the request and the replica. */
  readonly marks: Readonly<Record<string, string>>
  readonly compresses: boolean
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly line: AccessLine
}

export function createListener({ at, log, replica, certificate, compresses = false }: ListenerOptions): Listener {
  const options = { requestTimeout: requestMs, keepAliveTimeout: idleMs, shouldUpgradeCallback: wantsWebSocket }
  const https = certificate && createHttpsServer({ ...options, ...secureOptions(certificate) })
  const server: Server = https ?? createHttpServer(options)
  server.setTimeout(stalledMs)
  const connections = trackConnections(server)
  let url: string | undefined
  return {
    get url() {
      if (url === undefined) throw new Error('the listener is not open')
      return url
    },
    get draining() {
      return connections.draining
    },
    open: async (serving) => {
      serve({ server, connections, log, compresses, ...(replica !== undefined && { replica }) }, serving)
      await bind(server, at)
      url = 'socket' in at ? at.socket : urlOf(server.address() as AddressInfo, https)
    },
    renew: (next) => https?.setSecureContext(secureOptions(next)),
    close: async (drainOptions) => {
      const cut = await connections.drain(drainOptions)
      server.close()
      return cut
    },
  }
}

function secureOptions({ cert, key }: Certificate) {
  return { cert, key, minVersion: 'TLSv1.2', handshakeTimeout: handshakeMs } as const
}

interface Bound {
  readonly server: Server
  readonly connections: Connections
  readonly log: Log
  readonly compresses: boolean
  readonly replica?: string
}

function serve(
  { server, connections, log, compresses, replica }: Bound,
  { handle, cors, clientOf, checkClient, onAnswered }: Serving,
): void {
  const named = replica === undefined ? {} : { 'pergola-replica': replica }
  const beginLine = createAccessLog(log, onAnswered)
  const upgrade = createUpgrade({ log, handle, clientOf, checkClient, named })
  const answer = async (served: Served) => {
    const { id, client, request, response, line } = served
    const preflight = cors.preflight(request.method ?? '', request.headers)
    if (preflight) return send(served, preflight)
    checkClient(client, request.url ?? '')
    const reply = await handle(incoming(served, client.address))
    if ('open' in reply) return beginStream(served, reply)
    if (!('proxy' in reply)) return send(served, reply)
    return sendProxied(reply, {
      request,
      response,
      onStream: line.lasts,
      named,
      // A separate log line, because that of the request may already be written.
      onCut: (err) => log.warn({ requestId: id, err }, 'response aborted after it had begun'),
    })
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const client = clientOf(request)
    const called = requestName(client)
    const marks = { 'pergola-request-id': called.id, ...named }
    const line = beginLine(request, response, { name: called, client })
    const served = { id: called.id, client, marks, compresses, request, response, line }
    connections.track(request, response)
    // Set here, so that every answer has them.
    for (const [name, value] of Object.entries(cors.headersFor(request.headers))) response.setHeader(name, value)
    answer(served).catch((error: unknown) => refuse(served, error))
  }

  // Without these listeners, Node would ask a client for its body before the caller is authorized, or answer an unknown
  // expectation with a bare 417, although a server may ignore it.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest)
  server.on('upgrade', (request, connection: Socket, head) => void upgrade(request, connection, head))
  server.on('clientError', (error, socket: Socket) => refuseMalformed({ log, named }, error, socket))
}

async function bind(server: Server, at: ListenAddress): Promise<void> {
  if ('socket' in at) return listening(server, { path: at.socket })
  const { host, port } = at
  try {
    // One address: for a name with several, the library would open servers that are not drained.
    const { address } = await lookup(host)
    await listening(server, { host: address, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new Error(`${host}:${port} is in use by another program; stop it, or choose another with --port <port>`, {
        cause: error,
      })
    }
    throw new Error(`cannot listen on ${host}:${port} (${code ?? String(error)}); set server.host and server.port`, {
      cause: error,
    })
  }
}

/** Everything after the headers is written by the stream. */
function beginStream({ marks, response, line }: Served, stream: Stream): void {
  line.lasts()
  whenOver(response, () => stream.closed())
  response.writeHead(200, {
    ...marks,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Tells proxies not to buffer the stream.
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  if (!response.destroyed && response.socket) stream.open(eventStreamWire(response, response.socket))
}

function incoming({ id, request, response, line }: Served, address: string): IncomingRequest {
  const { url: target = '', method = '', headers } = request
  refuseRepeatedCredentials(request)
  const query = target.indexOf('?')
  return {
    id,
    method,
    target,
    headers,
    query: new URLSearchParams(query < 0 ? '' : target.slice(query + 1)),
    address,
    readBody: (limit) => readBody(request, response, limit),
    signal: () => abortOnClose(response, () => response.writableFinished),
    note: line.note,
  }
}

/** Answers with the problem, or aborts an answer that has begun: a partial answer must not look complete. */
function refuse(served: Served, error: unknown): void {
  const { id, request, response, line } = served
  const { reason } = toApiError(error)
  if (response.headersSent) {
    line.note({ err: error })
    response.destroy()
    return
  }
  line.note(reason === 'Internal' ? { reason, err: error } : { reason })
  void send(served, problemAnswer(error, { target: request.url ?? '', requestId: id }))
}

async function send({ marks, compresses, request, response }: Served, given: Answer): Promise<void> {
  if (given.end) whenOver(response, given.end)
  const answer = compresses && given.mayCompress === true ? await negotiated(given, request) : given
  const { status, contentType, headers, cookies, body } = answer
  const fields: OutgoingHttpHeaders = { ...marks, 'x-content-type-options': 'nosniff', ...headers }
  // A 304 has no body, and its type and length would be taken for those of the object.
  if (status !== 304) fields['content-type'] ??= contentType
  if (cookies) fields['set-cookie'] = [...cookies]
  // Joined, because `writeHead` would replace that of CORS.
  if (fields['vary'] !== undefined)
    fields['vary'] = [response.getHeader('vary') ?? [], fields['vary']].flat().join(', ')
  // After an upgrade that is not served, Node neither answers nor closes when the next request is malformed.
  if (request.headers.upgrade !== undefined) fields['connection'] = 'close'
  if (!Buffer.isBuffer(body)) return sendParts({ request, response }, body, () => response.writeHead(status, fields))
  if (status !== 304 && status !== 204) fields['content-length'] = body.length
  if (!response.destroyed) response.writeHead(status, fields).end(body)
}

/** Writes a body as it is generated, no faster than the client reads it. The headers wait for the first part, which may fail. */
async function sendParts(
  { request, response }: Pick<Served, 'request' | 'response'>,
  parts: AsyncIterable<Buffer>,
  begin: () => void,
): Promise<void> {
  // Starts the generator even if nobody reads it, so that its `finally` releases its resources.
  for await (const part of parts) {
    if (response.destroyed) return
    if (!response.headersSent) begin()
    if (request.method === 'HEAD') break
    if (!response.write(part)) await drained(response)
  }
  if (response.destroyed) return
  if (!response.headersSent) begin()
  response.end()
}

/** Resolves when more can be written, or the client disconnected. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

/** Also called if the client disconnected before the answer. */
function whenOver(response: ServerResponse, end: () => void): void {
  if (response.destroyed) end()
  else response.once('close', end)
}

async function listening(server: Server, where: { path: string } | { host: string; port: number }): Promise<void> {
  server.listen(where)
  await once(server, 'listening')
}

function urlOf({ address, family, port }: AddressInfo, https: HttpsServer | undefined): string {
  return `${https ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
