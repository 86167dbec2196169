import type { Duplex } from 'node:stream'
import type { Reason } from '@pergola/api'
import type { WebSocket } from 'ws'
import { closeCodes, problemCloseCode } from '../call/close-codes.ts'
import type { Frame, Wire } from '../call/wire.ts'
import { ConnectionQueue } from './connection-queue.ts'

/** How long a reader may take to receive the rest when its stream ends. */
const lingerMs = 10_000
const ignore = () => {}

/**
 * Writes frames directly to the connection, as buffers shared by all readers of a frame; the library handles the rest of the
 * protocol. It never has a half-written frame of its own, since compression is off.
 */
export function webSocketWire(webSocket: WebSocket, connection: Duplex): Wire {
  return new WebSocketWire(webSocket, connection)
}

/** A class, because there are tens of thousands of instances. */
class WebSocketWire implements Wire {
  readonly #webSocket: WebSocket
  readonly #queue: ConnectionQueue
  #isAnswering = true

  constructor(webSocket: WebSocket, connection: Duplex) {
    this.#webSocket = webSocket
    this.#queue = new ConnectionQueue(connection)
    webSocket.on('pong', () => (this.#isAnswering = true))
    // A protocol error of the peer ends its connection, which is reported as a close.
    webSocket.on('error', ignore)
    webSocket.on('message', () =>
      webSocket.close(closeCodes.notAllowed, 'a watch does not accept messages from the client'),
    )
  }

  get closed(): boolean {
    return this.#webSocket.readyState !== this.#webSocket.OPEN
  }

  get waiting(): number {
    return this.#queue.waiting
  }

  send(frame: Frame): void {
    if (!this.closed) this.#queue.write(encoded(frame))
  }

  drained(): Promise<void> {
    return this.closed ? Promise.resolve() : this.#queue.drained()
  }

  close(why?: Reason): void {
    if (why === undefined) this.#webSocket.close(closeCodes.done)
    else this.#webSocket.close(problemCloseCode(why), why)
    const webSocket = this.#webSocket
    setTimeout(() => webSocket.terminate(), lingerMs).unref()
  }

  probe(): void {
    if (!this.#isAnswering) return this.#webSocket.terminate()
    this.#isAnswering = false
    if (!this.closed) this.#webSocket.ping()
  }
}

const known = new WeakMap<Frame, Buffer>()

function encoded(frame: Frame): Buffer {
  const found = known.get(frame)
  if (found) return found
  const length = frame.json.reduce((sum, part) => sum + part.length, 0)
  const bytes = Buffer.concat([header(length), ...frame.json])
  known.set(frame, bytes)
  return bytes
}

/** The header of one complete text message, not masked. */
function header(length: number): Buffer {
  const wholeText = 0x81
  if (length < 126) return Buffer.from([wholeText, length])
  if (length < 65_536) return Buffer.from([wholeText, 126, length >> 8, length & 0xff])
  const bytes = Buffer.alloc(10)
  bytes[0] = wholeText
  bytes[1] = 127
  bytes.writeBigUInt64BE(BigInt(length), 2)
  return bytes
}
