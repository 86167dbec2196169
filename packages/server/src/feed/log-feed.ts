import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { Feed } from './feed.ts'
import { createHandingOut, ifExpired } from './handing-out.ts'
import { readOn } from './read-on.ts'

/** Each read waits this long for changes, so the position is proven at least this often. */
const waitMs = 1_000
const retryMs = 200

/** A feed that reads the change log from the database. */
export function createLogFeed(store: Store, log: Log): Feed {
  const stop = new AbortController()
  const handing = createHandingOut(store, log)
  const run = async () => {
    let failing = false
    while (!stop.signal.aborted) {
      try {
        await readOn(store, handing, { waitMs, signal: stop.signal }).catch(ifExpired(() => handing.startAnew()))
        failing = false
      } catch (err) {
        if (!failing && !stop.signal.aborted) log.warn({ err }, 'failed to read the change log; retrying')
        failing = true
        await sleep(retryMs, undefined, { ref: false })
      }
    }
  }
  return {
    start: async () => {
      await handing.start()
      void run()
    },
    get position() {
      return handing.position
    },
    recent: (after) => handing.recent(after),
    isCurrent: () => handing.isCurrent(),
    lagMs: () => handing.lagMs(),
    subscribe: (stage, subscriber) => handing.subscribe(stage, subscriber),
    // Does not wait for a statement that hangs.
    [Symbol.dispose]: () => stop.abort(),
  }
}
