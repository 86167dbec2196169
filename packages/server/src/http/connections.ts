import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as TcpServer, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * When the server stops, keep-alive connections that were idle for this long are closed. A shorter time would cut requests
 * already in transit; busy connections close after an answer with `Connection: close`.
 */
const quietMs = 1_000
const pollMs = 50

export interface DrainOptions {
  /** How long new connections are still accepted after readiness turned off, so that load balancers can notice. */
  readonly delayMs: number
  /** How long to wait for requests in flight after that. */
  readonly timeoutMs: number
  /** Ends long-lived streams; called once no new connections are accepted. */
  readonly endStreams: () => void
}

/** The connections of one server, so that it can stop without cutting a request. */
export interface Connections {
  /** The server is going to stop; readiness checks report it. */
  readonly draining: boolean
  /** Call for every request, before it is answered. */
  track(request: IncomingMessage, response: ServerResponse): void
  /** Waits for every request in flight; returns how many connections with one had to be cut. */
  drain(options: DrainOptions): Promise<number>
}

interface Connection {
  inFlight: number
  quietSince: number
  /** The last byte count; an increase means that a request is arriving. */
  bytesRead: number
}

export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, Connection>()
  let draining = false
  let closing = false

  function forget(this: Socket): void {
    open.delete(this)
  }
  // Of TLS, the connection inside: requests and answers are on it.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.set(socket, { inFlight: 0, quietSince: performance.now(), bytesRead: 0 })
    socket.on('close', forget)
  })

  return {
    get draining() {
      return draining
    },
    track: (request, response) => {
      if (closing) response.setHeader('connection', 'close')
      // Not the response's socket: a pipelined request has none until the answers before it are sent.
      const connection = open.get(request.socket)
      if (!connection) return
      connection.inFlight++
      response.once('close', () => {
        connection.inFlight--
        connection.quietSince = performance.now()
      })
    },
    drain: async ({ delayMs, timeoutMs, endStreams }) => {
      draining = true
      await sleep(delayMs)
      // Not earlier: a client would reconnect, and that connection would be reset with the listening socket.
      closing = true
      // Closes only the TCP server: closing the HTTP server would cut idle connections, on which a request may be arriving.
      TcpServer.prototype.close.call(server)
      endStreams()
      const deadline = performance.now() + timeoutMs
      while (open.size > 0 && performance.now() < deadline) {
        closeQuiet(open)
        await sleep(pollMs)
      }
      const cut = [...open.values()].filter(({ inFlight }) => inFlight > 0).length
      for (const socket of open.keys()) socket.destroy()
      return cut
    },
  }
}

function closeQuiet(open: ReadonlyMap<Socket, Connection>): void {
  const now = performance.now()
  for (const [socket, connection] of open) {
    if (connection.bytesRead !== socket.bytesRead) {
      connection.bytesRead = socket.bytesRead
      connection.quietSince = now
    }
    if (connection.inFlight === 0 && now - connection.quietSince > quietMs) socket.destroySoon()
  }
}
