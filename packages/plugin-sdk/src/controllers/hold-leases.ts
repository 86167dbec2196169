import { isApiError } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { HoldSource, Lead } from './hold.ts'
import { pause } from './pause.ts'

const usualSeconds = 15
/** Share of the lease duration by which the leader stops before another process can take over. */
const margin = 1 / 15
/** A stopping process releases its lease; another process then acquires it within a second. */
const askMs = { least: 300, spread: 400 }
/** Retry interval when the host does not respond; shorter than the lease. */
const againMs = 1_000
const giveBackMs = 1_000
const mostDoublings = 2

export interface LeaseParts {
  /** Client with the plugin's own rights. */
  readonly client: Client
  readonly log: (text: string) => void
  /** Lease duration without renewal; default 15 s. */
  readonly seconds?: number
}

interface Held {
  readonly token: number
  /** In `performance.now` time, which advances while the process is suspended. */
  readonly until: number
}

/** Leader election: the host grants each lease to one process at a time across all replicas. */
export function holdLeases(parts: LeaseParts): HoldSource {
  return async function* (name, signal) {
    for (let failures = 0; !signal.aborted;) {
      const held = await take(parts, name, renewMs(parts))
      failures = held === 'no answer' ? failures + 1 : 0
      if (typeof held === 'string') {
        await pause(waitMs(failures), signal)
        continue
      }
      const over = new AbortController()
      const leading = AbortSignal.any([signal, over.signal])
      const lost = (why: string) => over.abort(new Error(`the lease "${name}" is lost: ${why}`))
      const keeping = keep(parts, { name, held, leading, lost })
      try {
        yield leadBy(name, held, { signal: leading, lost: () => lost('another has taken over') })
      } finally {
        over.abort()
        await keeping
        await giveBack(parts, name)
      }
    }
  }
}

function leadBy(name: string, { token }: Held, how: Pick<Lead, 'signal' | 'lost'>): Lead {
  return { ...how, fence: `${name}/${token}`, term: token }
}

/** Backs off while the host grants no leases, for example before the plugin is started. */
function waitMs(failures: number): number {
  return (askMs.least + Math.random() * askMs.spread) * 2 ** Math.min(failures, mostDoublings)
}

type Refusal = 'held by another' | 'no answer'

function leaseMs({ seconds = usualSeconds }: LeaseParts): number {
  return seconds * 1000
}

/** Leaves time for two retries before the lease expires. */
function renewMs(parts: LeaseParts): number {
  return leaseMs(parts) / 3
}

async function take(parts: LeaseParts, name: string, timeoutMs: number): Promise<Held | Refusal> {
  const until = performance.now() + leaseMs(parts) * (1 - margin)
  try {
    const answer = await parts.client.call({
      method: 'PUT',
      path: pathOf(name),
      body: { seconds: leaseMs(parts) / 1000 },
      timeoutMs: Math.ceil(timeoutMs),
      isIdempotent: false,
    })
    return { token: (answer as { readonly token: number }).token, until }
  } catch (error) {
    if (isApiError(error) && error.reason === 'InUse') return 'held by another'
    const isEarly = isApiError(error) && error.reason === 'PluginNotStarted'
    if (!isEarly) parts.log(`failed to acquire the lease "${name}": ${String(error)}`)
    return 'no answer'
  }
}

interface Keeping {
  readonly name: string
  readonly held: Held
  /** Aborted when the lead ends, for any reason. */
  readonly leading: AbortSignal
  readonly lost: (why: string) => void
}

/** Renews the lease until it is lost or no longer needed. */
async function keep(parts: LeaseParts, { name, held, leading, lost }: Keeping): Promise<void> {
  let { until } = held
  let againIn = renewMs(parts)
  for (;;) {
    await pause(Math.min(againIn, until - performance.now()), leading)
    if (leading.aborted) return
    const leftMs = until - performance.now()
    if (leftMs <= 0) return lost('the host has not renewed it in time')
    const answer = await take(parts, name, leftMs)
    if (answer === 'held by another') return lost('another has taken over')
    if (answer === 'no answer') againIn = againMs
    else if (answer.token !== held.token) return lost('it expired before it was renewed')
    else {
      until = answer.until
      againIn = renewMs(parts)
    }
  }
}

/** If the request fails, the lease expires by itself. */
async function giveBack({ client }: LeaseParts, name: string): Promise<void> {
  await client.call({ method: 'DELETE', path: pathOf(name), timeoutMs: giveBackMs }).catch(() => {})
}

function pathOf(name: string): string {
  return `/pergola/leases/${name}`
}
