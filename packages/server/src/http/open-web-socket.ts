import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Accepted, Declined, ProxiedWebSocket } from '../call/proxied-web-socket.ts'
import { joinConnections } from './join-connections.ts'

interface Asked {
  readonly request: IncomingMessage
  readonly connection: Socket
  /** Bytes that the client sent after its request. */
  readonly head: Buffer
}

/** Lets the plugin answer a WebSocket request; returns the status. Rejects only while the client has received nothing. */
export async function openWebSocket(
  webSocket: ProxiedWebSocket,
  { request, connection, head }: Asked,
): Promise<number> {
  const gone = new AbortController()
  connection.once('close', () => gone.abort())
  if (connection.destroyed) gone.abort()
  const answer = await webSocket.ask(gone.signal)
  if ('status' in answer) {
    webSocket.opened(() => connection.destroy())
    await decline(answer, request, connection)
    return answer.status
  }
  connection.write(headOf(answer))
  if (head.length > 0) connection.unshift(head)
  if (answer.head.length > 0) answer.connection.unshift(answer.head)
  webSocket.opened(joinConnections({ client: connection, other: answer.connection, lost: answer.lost }))
  return 101
}

function headOf({ headers }: Accepted): string {
  const fields = { ...headers, connection: 'Upgrade', upgrade: 'websocket' }
  const lines = Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
  return `${['HTTP/1.1 101 Switching Protocols', ...lines].join('\r\n')}\r\n\r\n`
}

/** The answer as without an upgrade; the connection cannot be used for another request. */
async function decline({ status, headers, body }: Declined, request: IncomingMessage, connection: Socket) {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(connection)
  response.writeHead(status, headers)
  // A body that fails midway is cut off, so that it cannot look complete.
  await pipeline(body, response).then(
    () => connection.destroySoon(),
    () => connection.destroy(),
  )
}
