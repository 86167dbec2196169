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
  /** Answered with 5xx, or cut off. */
  readonly failed: number
  /** In milliseconds, rounded up to the next step of the scale; absent without requests. */
  readonly p50?: number
  readonly p99?: number
}

const everyMs = 10_000
const kept = 90
/** Steps from a tenth of a millisecond, each a quarter larger, up to some minutes. */
const steps = 64
const growth = Math.log(1.25)
const first = 0.1

interface Bucket {
  number: number
  requests: number
  failed: number
  readonly latencies: Uint32Array
}

/** Only counts are kept: of a request, nothing but its duration. */
export function createTraffic(clock: Clock): Traffic {
  const ring: Bucket[] = Array.from({ length: kept }, () => ({
    number: -1,
    requests: 0,
    failed: 0,
    latencies: new Uint32Array(steps),
  }))
  const numberNow = () => Math.floor(clock.now() / everyMs)
  const bucketOf = (number: number): Bucket => {
    const bucket = ring[number % kept] as Bucket
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
      const bucket = bucketOf(numberNow())
      bucket.requests++
      if (failed) bucket.failed++
      const step = ms <= first ? 0 : Math.min(steps - 1, Math.ceil(Math.log(ms / first) / growth))
      bucket.latencies[step] = (bucket.latencies[step] ?? 0) + 1
    },
    recent: () => {
      const now = numberNow()
      const numbers = Array.from({ length: kept }, (_, at) => now - kept + 1 + at)
      return { everyMs, buckets: numbers.map((number) => shown(bucketOf(number))) }
    },
  }
}

function shown({ number, requests, failed, latencies }: Bucket): TrafficBucket {
  const at = new Date(number * everyMs).toISOString()
  if (requests === 0) return { at, requests, failed }
  return { at, requests, failed, p50: quantile(latencies, requests / 2), p99: quantile(latencies, requests * 0.99) }
}

function quantile(latencies: Uint32Array, rank: number): number {
  let seen = 0
  const step = latencies.findIndex((count) => (seen += count) >= rank)
  return Math.round(first * Math.exp(growth * step) * 10) / 10
}
