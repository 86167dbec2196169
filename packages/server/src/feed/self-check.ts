import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckedCache } from '../base/checked-cache.ts'
import type { Log } from '../base/log.ts'
import { counter } from '../base/metrics.ts'
import { decodeRevision } from '../store/revision.ts'
import type { Store } from '../store/store.ts'
import type { Feed } from './feed.ts'

const everyMs = 60_000
/** How long the feed may take to hand out what was committed before the first comparison. */
const handOutMs = 5_000
const pollMs = 20
const shownDifferences = 5

export interface SelfCheckParts {
  readonly store: Store
  readonly feed: Feed
  readonly caches: readonly CheckedCache[]
  readonly log: Log
}

export interface SelfCheck extends Disposable {
  /** Compares all caches once, now; returns how many had to be reloaded. */
  look(): Promise<number>
}

/**
 * All caches follow the feed and should never differ from the database. If a bug makes one differ, this finds it within a
 * minute, reloads it and logs it.
 */
export function startSelfCheck(parts: SelfCheckParts): SelfCheck {
  const checked = counter('pergola_cache_checks')
  const diverged = counter('pergola_cache_divergences')
  for (const { name } of parts.caches) diverged(0, { cache: name })
  const look = async (cache: CheckedCache): Promise<boolean> => {
    const lasting = await lastingDifferences(parts, cache)
    checked(1, { cache: cache.name })
    if (lasting.length === 0) return false
    diverged(1, { cache: cache.name })
    const differences = lasting.slice(0, shownDifferences)
    parts.log.error(
      { cache: cache.name, count: lasting.length, differences },
      'cache differs from the database; reloading it',
    )
    await cache.repair()
    return true
  }
  const lookAtAll = async () => {
    let repaired = 0
    for (const cache of parts.caches) if (await look(cache)) repaired++
    return repaired
  }
  // Spreads the checks of replicas that started together.
  const timer = setInterval(
    () => {
      lookAtAll().catch((err: unknown) => parts.log.warn({ err }, 'cache self-check failed'))
    },
    everyMs * (0.9 + Math.random() * 0.2),
  )
  timer.unref()
  return { look: lookAtAll, [Symbol.dispose]: () => clearInterval(timer) }
}

/** Differences that remain after everything committed has been handed out. */
async function lastingDifferences(
  { store, feed }: SelfCheckParts,
  { differences }: CheckedCache,
): Promise<readonly string[]> {
  const before = await differences()
  if (before.size === 0) return []
  const { number } = decodeRevision(await store.head())
  const deadline = performance.now() + handOutMs
  while (feed.position.number < number) {
    // While the feed is stalled, all callers read the database itself.
    if (performance.now() > deadline) return []
    await sleep(pollMs)
  }
  const after = await differences()
  return [...before].filter((difference) => after.has(difference))
}
