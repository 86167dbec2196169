import { readFileSync, readdirSync } from 'node:fs'

/** A subject of a comparison in rounds. */
export interface Contestant {
  readonly name: string
  /** Does one operation; `at` counts up over the whole run. */
  readonly operation: (at: number) => Promise<unknown>
}

export interface Figures {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** CPU of this process and of every PostgreSQL backend. */
  readonly cpuMicroseconds: number
}

export interface RoundOptions {
  readonly callers: number
  readonly seconds: number
  /** First number of the operations. */
  readonly from: number
}

/** Keeps `callers` operations in flight for some seconds. */
export async function measureRound(
  { operation }: Contestant,
  { callers, seconds, from }: RoundOptions,
): Promise<Figures & { count: number }> {
  const latencies: number[] = []
  const cpuBefore = cpuSeconds()
  const began = performance.now()
  const end = began + seconds * 1000
  let next = from
  const caller = async () => {
    while (performance.now() < end) {
      const sent = performance.now()
      await operation(next++)
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const elapsed = (performance.now() - began) / 1000
  const count = latencies.length
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    count,
    perSecond: count / elapsed,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    cpuMicroseconds: ((cpuSeconds() - cpuBefore) * 1e6) / count,
  }
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

/** Lowest and highest value, as the uncertainty of a median. */
export function spread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)}`
}

const ticksPerSecond = 100

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      if (!stat.includes('(postgres)')) continue
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // The process exited meanwhile.
    }
  }
  return (user + system) / 1e6 + ticks / ticksPerSecond
}
