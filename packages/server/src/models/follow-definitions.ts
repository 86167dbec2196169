import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { Model } from './model.ts'
import type { ModelRegistry } from './registry.ts'

/** Another replica's change is seen after this long at the latest; a write by an old declaration sees it at once. */
const everyMs = 1_000

export interface FollowParts {
  readonly store: Store
  readonly definitions: Model
  readonly registry: ModelRegistry
  readonly log: Log
}

/** Looks whether declarations have changed, by their newest edition and their number, and reads them again when so. */
export function followDefinitions({ store, definitions, registry, log }: FollowParts): AsyncDisposable {
  const stopping = new AbortController()
  const look = async () => {
    const sort = [{ field: 'status.edition', descending: true }]
    const { items, total } = await store.list(definitions, { limit: 1, sort, total: 'exact' })
    return `${items[0]?.name} ${items[0]?.version} ${total?.count}`
  }
  // Kept over a failure: what is declared meanwhile is a difference too, and so is what there was before the first look.
  let seen: string | undefined
  const follow = async () => {
    for (;;) {
      const found = await look()
      if (found !== seen) await registry.load()
      seen = found
      await sleep(everyMs, undefined, { signal: stopping.signal })
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
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await running
    },
  }
}
