import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { expect, inject, test } from 'vitest'
import type { Call } from '../../packages/server/src/call/call.ts'
import { systemClock } from '../../packages/server/src/base/clock.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import type { Wire } from '../../packages/server/src/call/wire.ts'
import { createLogFeed } from '../../packages/server/src/feed/log-feed.ts'
import { modelSpec, openReplica, testGroup } from '../../packages/server/src/models/contract/replica.ts'
import { createStreamLimits, watches } from '../../packages/server/src/models/query/stream-limits.ts'
import { postgresFixture } from '../../packages/server/src/store/contract/postgres-fixture.ts'
import { pauseBytes } from '../../packages/server/src/watch/initial-objects.ts'
import { createTurns } from '../../packages/server/src/watch/turns.ts'
import { createWatchHub } from '../../packages/server/src/watch/watch-hub.ts'
import { watchObjects } from '../../packages/server/src/watch/watch-objects.ts'

const log = createLog({ level: 'error', pretty: false, write: () => {} })

test('a change on a sent page is delivered, even if it is sequenced only later', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store, url } = fixture
  await using replica = await openReplica(store)
  await replica.declare(modelSpec({ note: { type: 'string' } }))
  const model = await replica.registry.find({ group: testGroup, version: 'v1', plural: 'things' })
  const things = replica.of('things')
  // More than one page.
  const note = 'x'.repeat(400_000)
  for (const name of ['a', 'b', 'c', 'd']) await things.create({ metadata: { name }, spec: { note } })

  using feed = await createLogFeed(store, log)
  using hub = createWatchHub({ feed, clock: systemClock, log, concerned: () => new Set(), settle: async () => {} })
  const limits = createStreamLimits({ inAll: 10, perCaller: 10, ...watches })
  const pool = new Pool({ connectionString: url, max: 1 })
  const holding = await pool.connect()
  let between: (() => Promise<void>) | undefined = async () => {
    await holding.query('BEGIN')
    await holding.query(`SELECT pg_advisory_xact_lock(hashtextextended('pergola sequencer', 0))`)
    await things.update('a', { metadata: { labels: { 'a.example/b': 'c' } }, spec: { note } })
  }
  const lines: string[] = []
  const wire: Wire = {
    closed: false,
    waiting: pauseBytes + 1,
    send: ({ json }) => {
      const { type, object } = JSON.parse(Buffer.concat(json).toString()) as {
        readonly type: string
        readonly object?: { readonly metadata?: { readonly name: string; readonly version: number } }
      }
      lines.push(`${type} ${object?.metadata?.name} ${object?.metadata?.version}`)
    },
    drained: async () => {
      const work = between
      between = undefined
      await work?.()
    },
    close: () => {},
    probe: () => {},
  }
  const parts = { store, clock: systemClock, hub, reading: createTurns(8), limits }
  const stream = await watchObjects(parts, model, { call: watchCall(), name: undefined })
  stream.open(wire)
  await expect.poll(() => lines).toEqual(['ADDED a 0', 'ADDED b 0', 'ADDED c 0', 'ADDED d 0'])
  // Longer than the wait for a revision.
  await sleep(2_500)
  expect(lines).toHaveLength(4)
  await holding.query('COMMIT')
  await expect.poll(() => lines.slice(4)).toEqual(['MODIFIED a 1', 'BOOKMARK undefined undefined'])
  holding.release()
  await pool.end()
})

function watchCall(): Call {
  return {
    info: { kind: 'resource', verb: 'watch', path: '/things', group: testGroup, version: 'v1', resource: 'things' },
    caller: { kind: 'anonymous' },
    request: {
      id: 'r-1',
      method: 'GET',
      target: '/things',
      headers: {},
      query: new URLSearchParams({ initial: 'true' }),
      address: '127.0.0.1',
      readBody: async () => Buffer.alloc(0),
      signal: () => new AbortController().signal,
      note: () => {},
    },
    authenticate: async () => ({ kind: 'anonymous' }),
    recheck: async () => ({ kind: 'anonymous' }),
  }
}
