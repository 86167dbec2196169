import { describe, expect, test } from 'vitest'
import { createLog } from '../../packages/server/src/base/log.ts'
import { systemClock } from '../../packages/server/src/base/clock.ts'
import { openRevocations, revoked, revokedBy } from '../../packages/server/src/credentials/revocations.ts'
import { followFeed } from '../../packages/server/src/feed/follow-feed.ts'
import { createLogFeed } from '../../packages/server/src/feed/log-feed.ts'
import { openStore } from '../../packages/server/src/store/open-store.ts'
import { chosenEngines, openDatabase } from '../conformance/server.ts'

const log = createLog({ level: 'error', pretty: false, write: () => {} })

for (const engine of chosenEngines) {
  describe(engine, () => {
    describe('a change is delivered', () => {
      test('after every cache knows of the revocations before it, whoever subscribed first', async () => {
        await using database = await openDatabase(engine)
        await using store = await openStore({ url: database.url, onConnectionLost: () => {} })
        await openRevocations(store)
        using feed = createLogFeed(store, log)
        await feed.start()
        const before = feed.position
        const known = new Set<string>()
        const delivered = new Promise<readonly string[]>((resolve) => {
          feed.subscribe('delivery', { onChanges: () => resolve([...known]), onLost: () => {} })
        })
        const recentToCaches: (number | undefined)[] = []
        feed.subscribe('caches', {
          onChanges: async () => {
            // A watch that begins while the caches take the changes must not be shown them either.
            recentToCaches.push(feed.recent(before)?.length)
          },
          onLost: () => {},
        })
        const apply = (changes: Parameters<typeof revokedBy>[0][]) => {
          for (const change of changes) known.add(revokedBy(change) ?? '')
        }
        using kept = followFeed({
          store,
          feed,
          what: 'revocations',
          load: async () => {},
          apply: (changes) => apply([...changes]),
        })
        await kept.start()
        await store.write([revoked(systemClock, 'ann')])
        expect(await delivered).toEqual(['ann'])
        expect(recentToCaches).toEqual([0])
        expect(feed.recent(before)).toHaveLength(1)
      })
    })
  })
}
