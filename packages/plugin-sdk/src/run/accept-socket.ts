import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { PluginSocket, UpgradeOptions } from '../route/plugin-socket.ts'

/** Default maximum size of a message, in bytes. */
export const usualMessage = 1024 * 1024
/** Unread messages after which reading from the connection pauses. */
const mostUnread = 16
/** Below the host's idle timeout of 60 s. */
const pingMs = 25_000
const ignore = () => {}
const done = 1000
const goingAway = 1001
const failed = 1011

/** A connection to upgrade to a WebSocket. */
export interface Upgrading {
  readonly request: IncomingMessage
  readonly connection: Duplex
  readonly head: Buffer
}

export interface Talk extends UpgradeOptions {
  readonly talk: (socket: PluginSocket) => Promise<void>
}

interface Surroundings {
  /** Aborted when the plugin begins to stop. */
  readonly stopping: AbortSignal
  /** Aborted when the grace period ends. */
  readonly ended: AbortSignal
  /** Called with errors that the plugin's code throws. */
  readonly fail: (error: unknown) => void
}

/** Loaded on the first WebSocket request. Resolves when the talk ends. */
export async function acceptSocket(
  { request, connection, head }: Upgrading,
  { talk, protocols = [], maxMessage = usualMessage }: Talk,
  { stopping, ended, fail }: Surroundings,
): Promise<void> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessage,
    handleProtocols: (offered) => protocols.find((one) => offered.has(one)) ?? false,
  })
  const accepted = await new Promise<Accepted | undefined>((resolve) => {
    // The library answers invalid handshakes itself.
    connection.once('close', () => resolve(undefined))
    // Attaches the listeners at once, because the first message may arrive with the request.
    server.handleUpgrade(request, connection, head, (webSocket) => resolve({ webSocket, socket: socketOf(webSocket) }))
  })
  if (!accepted) return
  const { webSocket, socket } = accepted
  const stop = () => webSocket.close(goingAway, 'the plugin stops')
  const cut = () => webSocket.terminate()
  stopping.addEventListener('abort', stop, { once: true })
  ended.addEventListener('abort', cut, { once: true })
  if (stopping.aborted) stop()
  const keepAlive = probe(webSocket)
  try {
    await talk(socket)
    webSocket.close(done)
  } catch (error) {
    if (webSocket.readyState === webSocket.OPEN) fail(error)
    webSocket.close(failed, 'the plugin failed')
  } finally {
    clearInterval(keepAlive)
    stopping.removeEventListener('abort', stop)
  }
}

interface Accepted {
  readonly webSocket: WebSocket
  readonly socket: PluginSocket
}

/** Pings the client, to detect a dead connection and to keep a live one open. */
function probe(webSocket: WebSocket): NodeJS.Timeout {
  let isAnswering = true
  webSocket.on('pong', () => (isAnswering = true))
  return setInterval(() => {
    // While reading is paused, no pong arrives.
    if (!isAnswering && !webSocket.isPaused) return webSocket.terminate()
    isAnswering = false
    return webSocket.ping()
  }, pingMs).unref()
}

function socketOf(webSocket: WebSocket): PluginSocket {
  const unread: (string | Uint8Array)[] = []
  let wake: () => void = ignore
  // Protocol errors of the client close the connection, which ends iteration.
  webSocket.on('error', ignore)
  webSocket.on('message', (data: Buffer, isBinary) => {
    unread.push(isBinary ? new Uint8Array(data) : data.toString('utf8'))
    if (unread.length >= mostUnread) webSocket.pause()
    wake()
  })
  webSocket.on('close', () => wake())
  const isOver = () => webSocket.readyState === webSocket.CLOSED || webSocket.readyState === webSocket.CLOSING
  async function* messages(): AsyncGenerator<string | Uint8Array, void> {
    for (;;) {
      const message = unread.shift()
      if (message !== undefined) {
        if (unread.length < mostUnread) webSocket.resume()
        yield message
      } else if (isOver()) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    protocol: webSocket.protocol,
    send: (message) =>
      new Promise((resolve) => {
        // After close, sending does nothing; iteration has ended too.
        if (isOver()) resolve()
        else webSocket.send(message, () => resolve())
      }),
    close: (code = done, reason) => {
      webSocket.close(code, reason)
      wake()
    },
    [Symbol.asyncIterator]: messages,
  }
}
