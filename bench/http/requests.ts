import { cpuSecondsOf } from './process-cpu.ts'
import type { Connections } from './connections.ts'
import { quantile } from '../measure.ts'

/** Token of the administrator that every benchmarked host has. */
export const token = 'pgs_bench-token-bench-token-bench-token'

export function head(method: string, path: string, more = ''): Buffer {
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${more}\r\n`)
}

export function withBody(method: string, path: string, value: object): Buffer {
  const body = JSON.stringify(value)
  const more = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.concat([head(method, path, more), Buffer.from(body)])
}

export async function register(url: string, model: object): Promise<void> {
  await post(url, '/apis/plugin.platform.run/v1alpha1/models', model)
}

export async function post(url: string, path: string, body: object): Promise<{ metadata: { uid: string } }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { metadata: { uid: string } }
}

export interface Round {
  readonly count: number
  readonly perSecond: number
  readonly p99: number
  /** CPU time of the server and the database per operation, in microseconds. */
  readonly cpu: number
}

interface Load {
  readonly connections: Connections
  readonly request: (at: number) => Buffer
  readonly status: number
  readonly pid: number
  readonly callers: number
  readonly seconds: number
}

/** Keeps `callers` requests in flight for `seconds`. The first request has the number `from`. */
export async function sendFor(load: Load, from: number): Promise<Round> {
  const { connections, request, status, pid, callers, seconds } = load
  const latencies: number[] = []
  const before = cpuSecondsOf(pid)
  const began = performance.now()
  const end = began + seconds * 1000
  let next = from
  const caller = async () => {
    while (performance.now() < end) {
      const sent = performance.now()
      const bytes = request(next++)
      const answered = await connections.send(bytes)
      if (answered !== status)
        throw new Error(`${String(bytes).split('\r\n')[0]} returned status ${answered}, not ${status}`)
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const elapsed = (performance.now() - began) / 1000
  const sorted = latencies.toSorted((a, b) => a - b)
  const count = latencies.length
  const cpu = ((cpuSecondsOf(pid) - before) * 1e6) / count
  return { count, perSecond: count / elapsed, p99: quantile(sorted, 0.99), cpu }
}
