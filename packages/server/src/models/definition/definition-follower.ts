import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'
import type { Model } from '../model.ts'
import type { ModelRegistry } from './registry.ts'

/** Maximum delay until another replica's change is seen; a write that follows an old declaration sees it at once. */
const usualEveryMs = 1_000
/** Polling interval while every change is announced; a safety net. */
const toldEveryMs = 30_000

export interface FollowParts {
  readonly store: Store
  readonly definitions: Model
  readonly registry: ModelRegistry
  readonly log: Log
  /** Whether `look` is called for every change; false by default. */
  readonly isTold?: () => boolean
  /** Polling interval while changes are not announced; tests set their own. */
  readonly everyMs?: number
}

export interface DefinitionFollower extends AsyncDisposable {
  start(): void
  /** Looks now, because something has changed. */
  look(): void
}

/** Detects changed definitions by their newest edition and their number, and then reloads them. */
export function createDefinitionFollower(parts: FollowParts): DefinitionFollower {
  const { store, definitions, registry, log, isTold = () => false, everyMs = usualEveryMs } = parts
  const stopping = new AbortController()
  let wake: (() => void) | undefined
  const nextLook = () =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearInterval(timer)
        resolve()
      }
      const until = performance.now() + toldEveryMs
      const timer = setInterval(() => {
        if (!isTold() || performance.now() > until) end()
      }, everyMs)
      wake = end
    })
  const look = async () => {
    const sort = [{ field: 'status.edition', descending: true }]
    const { items, total } = await store.list(definitions, { limit: 1, sort, total: 'exact' })
    return `${items[0]?.name} ${items[0]?.version} ${total?.count}`
  }
  // Kept after a failure, so that changes made meanwhile are still detected. Undefined at first: the first look always loads.
  let seen: string | undefined
  const follow = async () => {
    while (!stopping.signal.aborted) {
      const next = nextLook()
      const found = await look()
      if (found !== seen) await registry.load()
      seen = found
      await next
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      await follow().catch(async (err: unknown) => {
        if (stopping.signal.aborted) return
        log.warn({ err }, 'failed to read model definitions; retrying')
        await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
      })
    }
  }
  let running: Promise<void> | undefined
  return {
    start: () => {
      running ??= run()
    },
    look: () => wake?.(),
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      wake?.()
      await running
    },
  }
}
