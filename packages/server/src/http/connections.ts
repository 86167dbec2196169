import type { Server, ServerResponse } from 'node:http'
import { Server as TcpServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A kept-alive connection that has been quiet for this long when the server stops is closed. Shorter, and a request
 * already on its way to us would be cut; busy connections close by themselves after the answer that says so.
 */
const quietMs = 1_000
const pollMs = 50

/** The connections of one server, so that it can stop without cutting a request. */
export interface Connections {
  /** Not taking new connections any more; every answer from now on closes its own. */
  readonly draining: boolean
  /** Call for every request, before it is answered. */
  track(response: ServerResponse): void
  /** Waits for every request in flight, at most `timeoutMs`; answers how many had to be cut. */
  drain(timeoutMs: number): Promise<number>
}

export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, { inFlight: number; quietSince: number }>()
  let draining = false

  server.on('connection', (socket: Socket) => {
    open.set(socket, { inFlight: 0, quietSince: performance.now() })
    socket.once('close', () => open.delete(socket))
  })

  return {
    get draining() {
      return draining
    },
    track: (response) => {
      const state = response.socket && open.get(response.socket)
      if (draining) response.setHeader('connection', 'close')
      if (!state) return
      state.inFlight++
      response.once('close', () => {
        state.inFlight--
        state.quietSince = performance.now()
      })
    },
    drain: async (timeoutMs) => {
      draining = true
      const deadline = performance.now() + timeoutMs
      // The TCP server's own close: the HTTP server's would also cut idle connections, on which a request may be coming.
      TcpServer.prototype.close.call(server)
      while (open.size > 0 && performance.now() < deadline) {
        const now = performance.now()
        for (const [socket, state] of open) {
          if (state.inFlight === 0 && now - state.quietSince > quietMs) socket.end()
        }
        await sleep(pollMs)
      }
      const cut = [...open.values()].filter(({ inFlight }) => inFlight > 0).length
      for (const socket of open.keys()) socket.destroy()
      return cut
    },
  }
}
