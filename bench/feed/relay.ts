import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { decodeRevision, encodeRevision } from '../../packages/server/src/store/revision.ts'
import type { Part } from '../measure/part.ts'
import type { FeedReport } from './feed-process.ts'
import { model, openInstallation, type Follower, type Installation } from './installation.ts'
import { sql, statement } from '../../packages/server/src/store/sql.ts'

const bar = 25
const perSecond = 1_000
const sampled = 1_000

/** CPU of the relay per change: with a backlog, and at a steady rate. */
export const relay: Part = async ({ quick }) => {
  const [backlog, seconds] = quick ? [40_000, 6] : [200_000, 20]
  await using installation = await openInstallation()
  const carrier = await installation.start('relay')
  await carrier.until(({ state }) => state === 'carries the log')
  // Warms up the code.
  await installation.fill(40_000)
  await caughtUp(installation, carrier)
  const measure = async (produce: () => Promise<number>) => {
    const before = await carrier.report()
    const count = await produce()
    const after = await caughtUp(installation, carrier)
    return (after.cpuMicroseconds - before.cpuMicroseconds) / count
  }
  const drained = await measure(async () => {
    carrier.signal('SIGSTOP')
    await installation.fill(backlog)
    carrier.signal('SIGCONT')
    return backlog
  })
  const messageBytes = await bytesOfChange(installation)
  const steady = await measure(() => writeSteadily(installation, seconds))
  const figure = `the relay takes ${drained.toFixed(1)} µs a change behind a backlog of ${backlog} (bar ${bar}), ${steady.toFixed(1)} at ${perSecond}/s`
  console.log(`\n${figure}`)
  return {
    figure,
    short: drained > bar ? [figure] : [],
    measured: { relayMicroseconds: drained, relaySteadyMicroseconds: steady, messageBytes },
  }
}

async function caughtUp(installation: Installation, follower: Follower): Promise<FeedReport> {
  const newest = await installation.newest()
  return follower.until(({ number }) => number >= newest)
}

/** Size in transit, without its share of the message envelope. */
async function bytesOfChange({ store }: Installation): Promise<number> {
  const { number, tag } = decodeRevision(await store.head())
  const text = 'SELECT tag FROM change_order WHERE revision = $1'
  const [row] = await store[sql](statement(text, [number - sampled]))
  const after = encodeRevision({ number: number - sampled, tag: String(row?.['tag'] ?? tag), skipped: [] })
  const changes = (await store.packedLog?.read(after, { limit: sampled, waitMs: 0 })) ?? []
  return changes.reduce((sum, { about, data }) => sum + Buffer.byteLength(about) + data.length, 0) / changes.length
}

/** Single writes from this process; returns their number. */
async function writeSteadily({ store }: Installation, seconds: number): Promise<number> {
  const began = performance.now()
  const all = perSecond * seconds
  const running: Promise<unknown>[] = []
  while (running.length < all) {
    const due = Math.min(all, Math.floor(((performance.now() - began) / 1000) * perSecond))
    while (running.length < due) running.push(store.write([createOne()]))
    await sleep(5)
  }
  await Promise.all(running)
  await sleep(200)
  return all
}

function createOne() {
  const name = randomUUID()
  const data = Buffer.from(JSON.stringify({ metadata: { name }, spec: { about: 'x'.repeat(540) } }))
  const labels = { 'example.com/team': 'team-1', 'example.com/tier': 'free', 'example.com/zone': 'z4' }
  const indexed = { labels, single: { city: 'city-7', age: 'a017', email: name }, multi: { tags: ['tag-1', 'tag-2'] } }
  const content = { data, storedAs: 'v1', held: false, indexed }
  return { type: 'create' as const, model, name, uid: name, content }
}
