import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { goingAway, type Closing } from '../base/passage.ts'
import { FrameBorders } from './frame-borders.ts'

/** Joined connections on which nothing moves for this long are closed: whoever means to stay says so in between. */
const idleMs = 60_000
/** How long either side may take for what is left when the other has ended. */
const lingerMs = 10_000
const ignore = () => {}

export interface Sides {
  readonly client: Socket
  /** Who answers. */
  readonly other: Duplex
  /** What the client is told when the other side has gone without a word. */
  readonly lost: () => Closing
  readonly idleMs?: number
}

/**
 * Makes one connection of two, each side read no faster than the other takes it. Answers what ends it with a word to the client.
 * The other side learns of any end by its connection alone.
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
    // A word in the middle of another would be none.
    if (!frames.isAtBorder) return void client.destroy()
    if (frames.hasClosed) client.end()
    else client.end(closeFrame(why))
    linger()
  }
  client.setNoDelay()
  client.setTimeout(options.idleMs ?? idleMs, () => end({ code: goingAway, reason: 'nothing was said for too long' }))
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

/** One whole frame, not masked. */
function closeFrame({ code, reason }: Closing): Buffer {
  const words = Buffer.from(reason)
  return Buffer.concat([Buffer.from([0x88, words.length + 2, code >> 8, code & 0xff]), words])
}
