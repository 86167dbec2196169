import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { Model } from './model.ts'
import type { ModelRegistry } from './registry.ts'

/** Another replica's change is seen after this long at the latest; a write by an old declaration sees it at once. */
const usualEveryMs = 1_000
/** While every change is told of, looking is for what nobody has thought of. */
const toldEveryMs = 30_000

export interface FollowParts {
  readonly store: Store
  readonly definitions: Model
  readonly registry: ModelRegistry
  readonly log: Log
  /** Whether `look` is called for every change that there is; never, unless it is said. */
  readonly isTold?: () => boolean
  /** Between two looks while nobody tells; a test gives its own. */
  readonly everyMs?: number
}

export interface FollowingDefinitions extends AsyncDisposable {
  /** Looks now: something is said to have changed. */
  look(): void
}

/** Looks whether declarations have changed, by their newest edition and their number, and reads them again when so. */
export function followDefinitions(parts: FollowParts): FollowingDefinitions {
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
  // Kept over a failure: what is declared meanwhile is a difference too, and so is what there was before the first look.
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
        log.warn({ err }, 'declarations of models could not be read; it is tried again')
        await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
      })
    }
  }
  const running = run()
  return {
    look: () => wake?.(),
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      wake?.()
      await running
    },
  }
}
