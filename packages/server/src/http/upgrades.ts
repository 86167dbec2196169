import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@pergola/api'
import { WebSocketServer } from 'ws'
import type { IncomingRequest } from '../call/call.ts'
import type { Log } from '../base/log.ts'
import { shownPath } from '../base/shown-path.ts'
import type { Reply } from '../call/reply.ts'
import type { Stream } from '../call/wire.ts'
import { abortOnClose } from './abort-on-close.ts'
import type { ClientReader } from './client.ts'
import { openWebSocket } from './open-web-socket.ts'
import { problemAnswer, toApiError } from '../call/problem-answer.ts'
import type { CheckClient } from './public-url-check.ts'
import { writeRaw } from './raw-answer.ts'
import { webSocketWire } from './web-socket-wire.ts'
import { requestFacts } from './access-log.ts'
import { requestName } from './request-name.ts'
import { refuseRepeatedCredentials } from './repeated-credentials.ts'

/** Clients of a watch only send control frames. */
export const maxMessageBytes = 1024
const subProtocol = 'watch.v1+json'

export interface UpgradeParts {
  readonly log: Log
  readonly handle: (request: IncomingRequest) => Promise<Reply>
  readonly clientOf: ClientReader
  readonly checkClient: CheckClient
  /** Headers that name the replica. */
  readonly named: Readonly<Record<string, string>>
}

export type Upgrade = (request: IncomingMessage, connection: Socket, head: Buffer) => Promise<void>

/** Whether a request asks for a WebSocket; other upgrades are answered as if not requested. */
export function wantsWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /(^|,)\s*websocket\s*(,|$)/i.test(headers.upgrade ?? '')
}

/** Requests that become WebSockets pass the same pipeline, and are logged when they end. */
export function createUpgrade({ log, handle, clientOf, checkClient, named }: UpgradeParts): Upgrade {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => (offered.has(subProtocol) ? subProtocol : false),
  })
  const namedLines = Object.entries(named).map(([name, value]) => `${name}: ${value}`)
  server.on('headers', (lines) => lines.push(...namedLines))
  // `handleUpgrade` emits this synchronously, so its caller gets the exception.
  server.on('wsClientError', ({ message }) => {
    throw new ApiError('BadRequest', `the WebSocket handshake is not valid: ${message}`)
  })
  return async (request, connection, head) => {
    // The library returns a rope string; the copy is flat.
    const client = clientOf(request)
    const name = requestName(client)
    const id = Buffer.from(name.id).toString('latin1')
    const facts = { ...requestFacts({ ...name, id }, client, request), method: request.method }
    const upgraded = new Upgraded(log, connection, { ...facts, target: shownPath(request.url ?? '') })
    const marks = { 'pergola-request-id': id, ...named }
    const note = (more: object) => upgraded.note(more)
    try {
      checkClient(client, request.url ?? '')
      const stream = await handle(incoming(request, { id, address: client.address, connection, note }))
      if ('proxy' in stream && stream.webSocket) {
        const status = await openWebSocket(stream.webSocket, { request, connection, head })
        return note({ status })
      }
      if ('status' in stream && stream.status >= 400 && Buffer.isBuffer(stream.body)) {
        note({ status: stream.status })
        if (connection.writable) writeRaw(connection, { ...stream, body: stream.body }, marks)
        return
      }
      if (!('open' in stream)) throw new ApiError('BadRequest', 'this path does not support WebSockets')
      if (connection.destroyed) return stream.closed()
      upgraded.stream = stream
      note({ status: 101 })
      server.handleUpgrade(request, connection, head, (webSocket) => stream.open(webSocketWire(webSocket, connection)))
    } catch (error) {
      const { reason } = toApiError(error)
      const answer = problemAnswer(error, { target: request.url ?? '', requestId: id })
      note({ status: answer.status, reason, ...(reason === 'Internal' && { err: error }) })
      if (connection.writable) writeRaw(connection, answer, marks)
    }
  }
}

const ignore = () => {}

/** A class, because there are tens of thousands of instances: only this stays in memory for a connection. */
class Upgraded {
  readonly #log: Log
  readonly #line: Record<string, unknown>
  readonly #started = performance.now()
  stream: Stream | undefined

  constructor(log: Log, connection: Socket, facts: object) {
    this.#log = log
    this.#line = { ...facts }
    connection.on('error', ignore)
    connection.on('close', () => this.#end())
  }

  /** Adds facts to the log line. */
  note(facts: object): void {
    Object.assign(this.#line, facts)
  }

  #end(): void {
    this.stream?.closed()
    const line = { ...this.#line, ms: Math.round((performance.now() - this.#started) * 10) / 10 }
    if ('err' in line) this.#log.error(line, 'request')
    else this.#log.info(line, 'request')
  }
}

function incoming(
  request: IncomingMessage,
  { id, address, connection, note }: Pick<IncomingRequest, 'id' | 'address' | 'note'> & { readonly connection: Socket },
): IncomingRequest {
  refuseRepeatedCredentials(request)
  const target = request.url ?? ''
  const query = target.indexOf('?')
  return {
    id,
    method: request.method ?? '',
    target,
    headers: request.headers,
    query: new URLSearchParams(query < 0 ? '' : target.slice(query + 1)),
    address,
    readBody: () => Promise.reject(new ApiError('BadRequest', 'an upgrade has no body')),
    signal: () => abortOnClose(connection),
    note,
  }
}
