import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A connection between two processes that can be cut or stalled. */
export interface Link extends AsyncDisposable {
  readonly port: number
  /** Target; connections are refused while undefined. */
  target: number | undefined
  /** Cuts all connections; new ones are accepted. */
  cut(): void
  /** Stalls both directions until released. */
  hold(): void
  release(): void
}

export async function openLink(): Promise<Link> {
  const pairs = new Set<Pair>()
  let held = false
  const server = createServer({ allowHalfOpen: true }, (near) => {
    near.on('error', () => {})
    if (link.target === undefined) return void near.destroy()
    const far = connect({ port: link.target, host: '127.0.0.1', allowHalfOpen: true })
    const pair = joined(near, far, () => held)
    pairs.add(pair)
    if (held) pair.hold()
    near.once('close', () => pairs.delete(pair))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => pairs.forEach((pair) => pair.cut())
  const link: Link = {
    port: (server.address() as AddressInfo).port,
    target: undefined,
    cut,
    hold: () => {
      held = true
      for (const pair of pairs) pair.hold()
    },
    release: () => {
      held = false
      for (const pair of pairs) pair.release()
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
  return link
}

interface Pair {
  cut(): void
  hold(): void
  release(): void
}

function joined(near: Socket, far: Socket, isHeld: () => boolean): Pair {
  near.setNoDelay(true)
  far.setNoDelay(true)
  far.on('error', () => {})
  const ways = [
    [near, far],
    [far, near],
  ] as const
  for (const [from, to] of ways) {
    from.on('data', (chunk: Buffer) => {
      if (!to.write(chunk)) from.pause()
    })
    to.on('drain', () => {
      if (!isHeld()) from.resume()
    })
    from.on('end', () => to.end())
    from.on('close', (failed) => {
      if (failed) to.destroy()
      else to.end()
    })
  }
  return {
    cut: () => {
      near.resetAndDestroy()
      far.destroy()
    },
    hold: () => ways.forEach(([from]) => from.pause()),
    release: () => ways.forEach(([from, to]) => to.writableNeedDrain || from.resume()),
  }
}
