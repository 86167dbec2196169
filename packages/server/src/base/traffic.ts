import type { Clock } from './clock.ts'

/** Recent requests to this process, in equal time intervals; the newest interval is still in progress. */
export interface Traffic {
  record(ms: number, failed: boolean): void
  recent(): RecentTraffic
}

interface RecentTraffic {
  readonly everyMs: number
  readonly buckets: readonly TrafficBucket[]
}

interface TrafficBucket {
  readonly at: string
  readonly requests: number
  /** Requests with status 5xx, or whose connection closed before the end of the response. */
  readonly failed: number
  /** Latency in milliseconds, rounded up to the next bound of the histogram; absent without requests. */
  readonly p50?: number
  readonly p99?: number
}

const everyMs = 10_000
const keptIntervals = 90
/** Upper bounds of the latency histogram: from 0.1 ms, each 25 % larger, up to about two minutes. */
const steps = 64
const growth = Math.log(1.25)
const firstBoundMs = 0.1

interface Bucket {
  number: number
  requests: number
  failed: number
  readonly latencies: Uint32Array
}

/** Stores counters and a latency histogram per interval, and no data of single requests. */
export function createTraffic(clock: Clock): Traffic {
  const ring: Bucket[] = Array.from({ length: keptIntervals }, () => ({
    number: -1,
    requests: 0,
    failed: 0,
    latencies: new Uint32Array(steps),
  }))
  const currentNumber = () => Math.floor(clock.now() / everyMs)
  const bucketOf = (number: number): Bucket => {
    const bucket = ring[number % keptIntervals] as Bucket
    if (bucket.number !== number) {
      bucket.number = number
      bucket.requests = 0
      bucket.failed = 0
      bucket.latencies.fill(0)
    }
    return bucket
  }
  return {
    record: (ms, failed) => {
      const bucket = bucketOf(currentNumber())
      bucket.requests++
      if (failed) bucket.failed++
      const step = ms <= firstBoundMs ? 0 : Math.min(steps - 1, Math.ceil(Math.log(ms / firstBoundMs) / growth))
      bucket.latencies[step] = (bucket.latencies[step] ?? 0) + 1
    },
    recent: () => {
      const now = currentNumber()
      const numbers = Array.from({ length: keptIntervals }, (_, at) => now - keptIntervals + 1 + at)
      return { everyMs, buckets: numbers.map((number) => toTrafficBucket(bucketOf(number))) }
    },
  }
}

function toTrafficBucket({ number, requests, failed, latencies }: Bucket): TrafficBucket {
  const at = new Date(number * everyMs).toISOString()
  if (requests === 0) return { at, requests, failed }
  return { at, requests, failed, p50: quantile(latencies, requests / 2), p99: quantile(latencies, requests * 0.99) }
}

function quantile(latencies: Uint32Array, rank: number): number {
  let seen = 0
  const step = latencies.findIndex((count) => (seen += count) >= rank)
  return Math.round(firstBoundMs * Math.exp(growth * step) * 10) / 10
}
