import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Pool } from 'pg'
import { openPostgresStore } from '../../packages/server/src/store/postgres/postgres-store.ts'
import type { Revision, Store } from '../../packages/server/src/store/store.ts'
import { naiveReader, orderedReader, xminReader, type Reader } from './ordering/readers.ts'
import { isClean, judge, type Verdict } from './ordering/verdict.ts'
import { runSlowWriter, runWriter, type WriterOptions } from './ordering/writers.ts'

/**
 * Checks that every reader gets every committed change once, in order per object, while many clients write the same few
 * objects through three replicas. Two naive readers run along; they must fail, or this run proves
 * nothing. Lists are read all the time, and the log after each must continue exactly where the list ended.
 * `--events=8000` sets the number of changes.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, events: { type: 'string' } } })
const { quick } = values
const wantedEvents = Number(values.events ?? (quick ? 50_000 : 1_000_000))
const mostLists = 100
const writers = 16
const slowWriters = 4
const stretch = 2_000
const model = { group: 'example.com', plural: 'things', indexes: [{ name: 'city' }, { name: 'tags', multi: true }] }

await using server = await startPostgres('18')
await using database = await createDatabase(server.url)
const stores = await Promise.all(
  [0, 1, 2].map(() => openPostgresStore({ url: database.url, onConnectionLost: console.error })),
)
for (const store of stores) await store.openModel(model)
const [first] = stores as [Store]
const pool = new Pool({ connectionString: database.url, max: 8 })

let stopped = false
let commits = 0
const options: WriterOptions = { stores, model, hotNames: 150, stopped: () => stopped, onCommit: () => commits++ }
const start = await first.head()
const readers: readonly Reader[] = [
  ...stores.map((store, at) => orderedReader(`ours, replica ${at + 1}`, store, start, () => stopped)),
  naiveReader(database.url, () => stopped),
  xminReader(database.url, () => stopped),
]
const lists: ListProbe[] = []
const work = [
  ...Array.from({ length: writers }, (_, lane) => runWriter(lane, options)),
  ...Array.from({ length: slowWriters }, () => runSlowWriter(pool, 'm_1', options)),
  takeLists(),
]
await untilEnough()
stopped = true
await Promise.all(work)
await Promise.all(readers.map(({ done }) => done))
const listFaults = await judgeLists()

const committed = await committedVersions()
const judged = readers.map(({ name, seen }) => judge(name, seen, committed))
report(judged)
for (const store of stores) await store[Symbol.asyncDispose]()
await pool.end()

async function untilEnough(): Promise<void> {
  const began = performance.now()
  for (let shown = began; commits < wantedEvents;) {
    await sleep(100)
    if (performance.now() - shown < 10_000) continue
    shown = performance.now()
    console.log(`  ${commits} changes after ${Math.round((shown - began) / 1000)} s`)
  }
}

interface ListProbe {
  readonly revision: Revision
  readonly versions: ReadonlyMap<string, number>
}

async function takeLists(): Promise<void> {
  while (!stopped && lists.length < mostLists) {
    const { items, revision } = await first.list(model, { limit: 1_000, total: 'none' })
    lists.push({ revision, versions: new Map(items.map(({ uid, version }) => [uid, version])) })
    await sleep(quick ? 100 : 1_000)
  }
}

/**
 * After a list, each object continues with the version after the listed one, and an object not listed begins with 0. A fault
 * of a list shows at once, so a short part of the log after each is enough.
 */
async function judgeLists(): Promise<number> {
  let faults = 0
  for (const { revision, versions } of lists) {
    const state = new Map(versions)
    let place = revision
    for (let seen = 0; seen < stretch;) {
      const { changes, revision: next } = await first.readChanges(place, { limit: 1_000, waitMs: 0 })
      for (const { object } of changes) {
        if (object.version !== (state.get(object.uid) ?? -1) + 1) faults++
        state.set(object.uid, object.version)
      }
      if (next === place) break
      place = next
      seen += changes.length
    }
  }
  return faults
}

/** Number of changes of each object in the log. */
async function committedVersions(): Promise<Map<string, number>> {
  const client = new Pool({ connectionString: database.url, max: 1 })
  const { rows } = await client.query<{ uid: string; count: number }>(
    'SELECT uid, count(*)::int AS count FROM changes GROUP BY uid',
  )
  await client.end()
  return new Map(rows.map(({ uid, count }) => [uid, count]))
}

function report(results: readonly Verdict[]): void {
  const columns = ['events', 'lost', 'duplicated', 'reordered'] as const
  console.log(['reader'.padEnd(24), ...columns.map((column) => column.padStart(11))].join(''))
  for (const verdict of results) {
    console.log([verdict.reader.padEnd(24), ...columns.map((column) => String(verdict[column]).padStart(11))].join(''))
  }
  const ours = results.filter(({ reader }) => reader.startsWith('ours'))
  const others = results.filter(({ reader }) => !reader.startsWith('ours'))
  const events = ours[0]?.events ?? 0
  const enough = events >= wantedEvents
  const passed = enough && ours.every(isClean) && others.every((verdict) => !isClean(verdict)) && listFaults === 0
  console.log(
    `${readers.length} readers, ${events} events, ${lists.length} lists with ${listFaults} faults: ${passed ? 'passed' : 'FAILED'}`,
  )
  process.exitCode = passed ? 0 : 1
}
