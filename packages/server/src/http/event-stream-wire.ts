import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Frame, Wire } from '../base/wire.ts'
import { ConnectionQueue } from './connection-queue.ts'

/** How long a reader may take for what is left when its stream ends. */
const lingerMs = 10_000

/**
 * Server-Sent Events on a response whose head is out, in chunks. Each is written to the connection as it is, in the bytes
 * that all readers of a frame share; the response writes the last one.
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
    // Nothing comes back on an event stream; what cannot be delivered ends the connection below it.
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
  // With the two line breaks that end an event, without those that end the chunk.
  const length = frame.json.reduce((sum, part) => sum + part.length, head.length + 2)
  const bytes = Buffer.concat([Buffer.from(`${length.toString(16)}\r\n${head}`), ...frame.json, end])
  known.set(frame, bytes)
  return bytes
}
