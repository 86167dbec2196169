import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy between a client and servers, used in turn, whose connections a test can cut. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string
  /** Number of open connections. */
  readonly count: number
  /** Number of connections so far. */
  readonly total: number
  /** Bytes received from the servers. */
  readonly bytes: number
  /** Cuts open connections: all, or those chosen. */
  cut(choose?: () => boolean): number
  /** Silently stops forwarding; `false` forwards again on new connections. */
  stall(on?: boolean): void
  /** Answers WebSocket upgrades with 400, as some proxies do. */
  refuseUpgrades(): void
  /** Drops new connections at once. */
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
