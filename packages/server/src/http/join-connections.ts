import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeCodes } from '../call/close-codes.ts'
import type { Closing } from '../call/proxied-web-socket.ts'
import { FrameBorders } from './frame-borders.ts'

/** Joined connections that are idle for this long are closed: a peer that wants to stay must send pings. */
export const idleMs = 60_000
/** How long either side may take to receive the rest when the other has ended. */
const lingerMs = 10_000
const ignore = () => {}

export interface Sides {
  readonly client: Socket
  /** The connection of the plugin that answers. */
  readonly other: Duplex
  /** The close reason for the client when the other side's connection was lost. */
  readonly lost: () => Closing
  readonly idleMs?: number
}

/**
 * Joins two connections, reading each side no faster than the other receives. Returns a function that ends them with a close
 * frame to the client. The other side only sees its connection end.
 */
export function joinConnections({ client, other, lost, ...options }: Sides): (why: Closing) => void {
  const frames = new FrameBorders()
  let isOver = false
  const linger = () => {
    const timer = setTimeout(() => {
      client.destroy()
      other.destroy()
    }, lingerMs)
    timer.unref()
    client.once('close', () => clearTimeout(timer))
  }
  const end = (why: Closing) => {
    if (isOver) return
    isOver = true
    other.unpipe(client)
    other.destroy()
    // A close frame in the middle of another frame would be invalid.
    if (!frames.isAtBorder) return void client.destroy()
    if (frames.hasClosed) client.end()
    else client.end(closeFrame(why))
    linger()
  }
  client.setNoDelay()
  client.setTimeout(options.idleMs ?? idleMs, () =>
    end({ code: closeCodes.goingAway, reason: 'the connection was idle for too long' }),
  )
  client.once('end', () => {
    other.end()
    linger()
  })
  client.once('close', () => {
    isOver = true
    other.destroy()
  })
  other.on('error', ignore)
  other.on('data', (chunk: Buffer) => frames.take(chunk))
  other.once('close', () => end(lost()))
  other.once('end', () => end(lost()))
  client.pipe(other, { end: false })
  other.pipe(client, { end: false })
  return end
}

/** One complete frame, not masked. */
function closeFrame({ code, reason }: Closing): Buffer {
  const words = Buffer.from(reason)
  return Buffer.concat([Buffer.from([0x88, words.length + 2, code >> 8, code & 0xff]), words])
}
