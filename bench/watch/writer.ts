import { openConnections } from '../http/connections.ts'
import { quantile } from '../measure/statistics.ts'
import { nextPerson, people, token } from './host.ts'

export interface Written {
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export interface WriteOptions {
  readonly addresses: readonly string[]
  readonly perSecond: number
  readonly seconds: number
}

const connections = 256

/** Sends creates at a rate, spread over the replicas; a slow installation completes fewer. */
export async function writeAtRate({ addresses, perSecond, seconds }: WriteOptions): Promise<Written> {
  using stack = new DisposableStack()
  const lanes = []
  for (const address of addresses) lanes.push(stack.use(await openConnections(address, connections)))
  const latencies: number[] = []
  const running = new Set<Promise<unknown>>()
  const began = performance.now()
  const all = perSecond * seconds
  for (let sent = 0; sent < all;) {
    const due = Math.min(all, Math.floor(((performance.now() - began) / 1000) * perSecond))
    for (; sent < due; sent++) {
      while (running.size >= connections) await Promise.race(running)
      const lane = lanes[sent % lanes.length]
      const started = performance.now()
      const write = lane?.send(createRequest()).then(() => latencies.push(performance.now() - started))
      if (!write) continue
      running.add(write)
      void write.finally(() => running.delete(write))
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await Promise.all(running)
  const elapsed = (performance.now() - began) / 1000
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    count: sorted.length,
    perSecond: sorted.length / elapsed,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  }
}

export function createRequest(): Buffer {
  const body = Buffer.from(JSON.stringify(nextPerson()))
  const head =
    `POST ${people} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}
