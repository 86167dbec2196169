import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Frame, Wire } from '../call/wire.ts'
import { ConnectionQueue } from './connection-queue.ts'

/** How long a reader may take to receive the rest when its stream ends. */
const lingerMs = 10_000

/**
 * Server-Sent Events, in chunks, on a response whose head was sent. Chunks are written directly to the connection, as buffers
 * shared by all readers of a frame; the response writes the last chunk.
 */
export function eventStreamWire(response: ServerResponse, connection: Socket): Wire {
  const queue = new ConnectionQueue(connection)
  const isClosed = () => response.destroyed || response.writableEnded
  return {
    get closed() {
      return isClosed()
    },
    get waiting() {
      return queue.waiting
    },
    send: (frame) => {
      if (!isClosed()) queue.write(encoded(frame))
    },
    drained: () => (isClosed() ? Promise.resolve() : queue.drained()),
    close: () => {
      response.end()
      setTimeout(() => response.destroy(), lingerMs).unref()
    },
    // Clients send nothing on an event stream; a failed write closes the connection.
    probe: () => {},
  }
}

const known = new WeakMap<Frame, Buffer>()
const end = Buffer.from('\n\n\r\n')

function encoded(frame: Frame): Buffer {
  const found = known.get(frame)
  if (found) return found
  const id = frame.revision === undefined ? '' : `id: ${frame.revision}\n`
  const head = `${id}data: `
  // Includes the two line breaks that end an event, but not those that end the chunk.
  const length = frame.json.reduce((sum, part) => sum + part.length, head.length + 2)
  const bytes = Buffer.concat([Buffer.from(`${length.toString(16)}\r\n${head}`), ...frame.json, end])
  known.set(frame, bytes)
  return bytes
}
