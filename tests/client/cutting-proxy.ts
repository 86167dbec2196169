import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A link that can be cut: plain TCP between a client and servers, in turn. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string
  /** Links that stand. */
  readonly count: number
  /** Links there ever were. */
  readonly total: number
  /** That came from the servers. */
  readonly bytes: number
  /** Breaks links that stand, all unless a choice is given. */
  cut(choose?: () => boolean): number
  /** From now on nothing passes, and nobody is told; `false` lets it pass again on new links. */
  stall(on?: boolean): void
  /** From now on a request to become a WebSocket is answered with 400, as some proxies do. */
  refuseUpgrades(): void
  /** From now on new links are broken at once. */
  refuse(on?: boolean): void
}

export async function startCuttingProxy(targets: readonly string[]): Promise<CuttingProxy> {
  const links = new Set<readonly [Socket, Socket]>()
  let [isStalled, isRefusing, takesNoUpgrades, total, received] = [false, false, false, 0, 0]
  const server = createServer((near) => {
    near.on('error', () => {})
    if (isRefusing) {
      near.destroy()
      return
    }
    const { hostname, port } = new URL(targets[total++ % targets.length] ?? '')
    const far = connect({ host: hostname, port: Number(port) })
    const link = [near, far] as const
    links.add(link)
    far.on('error', () => {})
    for (const [from, to] of [link, [far, near] as const]) {
      from.on('data', (bytes) => {
        if (from === far) received += bytes.length
        if (isStalled) return
        if (takesNoUpgrades && from === near && /upgrade: websocket/i.test(bytes.toString('latin1'))) {
          return void near.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
        }
        if (!to.write(bytes)) from.pause()
      })
      to.on('drain', () => from.resume())
      from.on('close', () => {
        to.destroy()
        links.delete(link)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (choose = () => true) => {
    const chosen = [...links].filter(() => choose())
    for (const [near, far] of chosen) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
    return chosen.length
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get count() {
      return links.size
    },
    get total() {
      return total
    },
    get bytes() {
      return received
    },
    cut,
    stall: (on = true) => void (isStalled = on),
    refuseUpgrades: () => void (takesNoUpgrades = true),
    refuse: (on = true) => void (isRefusing = on),
    [Symbol.asyncDispose]: async () => {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
