import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Pool } from 'pg'
import { openPostgresStore } from '../packages/server/src/store/postgres/postgres-store.ts'
import type { Store } from '../packages/server/src/store/store.ts'
import { compete, type Contestant } from './measure/compete.ts'
import { runParts, type Part } from './measure/part.ts'
import { missedGoals, printRow, type ResultRow } from './measure/result.ts'
import { median } from './measure/statistics.ts'
import { growthBenches, listBenches } from './store/lists.ts'
import { load, loadOthers, otherCount, others, people } from './store/people.ts'
import { createOurs, writeBenches, type WriteBench } from './store/writes.ts'

/**
 * The store against a hand-written table with ideal indexes and a log row of its own, on one durable PostgreSQL with our
 * sequencer running.
 */
const quick = process.argv.includes('--quick')
const objects = quick ? 100_000 : 1_000_000
const callers = 16
/** This process is the host of both. */
const processes = { host: [process.pid] }

await using server = await startPostgres('18', { durable: true })
await using database = await createDatabase(server.url)
const pool = new Pool({ connectionString: database.url, max: callers })
// The server is stopped as soon as the pool says it has ended, which can be before its last connection is gone.
pool.on('error', () => {})
const single = await openPostgresStore({ url: database.url, grouping: false, onConnectionLost: console.error })
await single.openModel(people)
const grouped = await openPostgresStore({ url: database.url, onConnectionLost: console.error })
await grouped.openModel(people)
for (const model of others) await single.openModel(model)
console.log(`${objects} objects, and ${others.length} models of ${otherCount}`)
await load(pool, 'm_1', objects)
await loadOthers(pool)

const benches = writeBenches(grouped, pool, objects)
const isDelete = ({ name }: WriteBench) => name === 'delete'
await runParts('store', {
  writes: () => writes(benches.filter((bench) => !isDelete(bench))),
  groups,
  lists,
  growth,
  // Last, because it deletes what the others read.
  deletes: () => writes(benches.filter(isDelete)),
})
await single[Symbol.asyncDispose]()
await grouped[Symbol.asyncDispose]()
await pool.end()

async function writes(some: readonly WriteBench[]): ReturnType<Part> {
  const rows: ResultRow[] = []
  for (const { name, goal, ours, hand } of some) {
    const figures = await compete(
      [
        { name: 'Pergola', processes, operation: ours },
        { name: 'table by hand', processes, operation: hand },
      ],
      { callers, count: 4_000, rounds: quick ? 4 : 10 },
    )
    rows.push({ operation: name, callers, figures, goal })
  }
  return outcomeOf(rows, {
    title: `The store, beside a table written by hand: ${some.map(({ name }) => name).join(', ')}`,
    text: `${objects.toLocaleString('en')} objects of 600 bytes with four indexes and three labels, beside a table with the same columns and a log row for each write. No HTTP.`,
  })
}

/** Operations of many callers that the store sends to the database together. */
async function groups(): ReturnType<Part> {
  let created = objects + 5_000_000
  const operations: Readonly<Record<string, (store: Store) => Contestant['operation']>> = {
    create: (store) => () => createOurs(store, created++),
    get: (store) => (at) => store.get(people, `p-${(at * 7919) % objects}`),
  }
  const rows: ResultRow[] = []
  for (const many of [16, 256]) {
    for (const [name, run] of Object.entries(operations)) {
      const figures = await compete(
        [
          { name: 'together', processes, operation: run(grouped) },
          { name: 'one by one', processes, operation: run(single) },
        ],
        { callers: many, count: 8_000, rounds: quick ? 4 : 10 },
      )
      rows.push({ operation: name, callers: many, figures, goal: 1 })
    }
  }
  return outcomeOf(rows, {
    title: 'Operations sent together',
    text: 'What many callers ask at the same time goes to the database in one statement, beside the same store with one statement for each.',
  })
}

function outcomeOf(rows: readonly ResultRow[], { title, text }: { title: string; text: string }) {
  for (const row of rows) printRow(row)
  const short = missedGoals(rows)
  return {
    figure: `${rows.length - short.length} of ${rows.length} goals are met`,
    short,
    result: { section: 'store' as const, title, text, rows },
  }
}

/** Shapes that are slow with a naive statement have to answer within 30 ms. */
async function lists(): ReturnType<Part> {
  const slow: string[] = []
  console.log(`\n${'lists, p50 in ms'.padEnd(44)}${['ours', 'hand'].map((head) => head.padStart(10)).join('')}`)
  for (const { name, ours, hand, cliff } of listBenches(single, pool)) {
    const [mine, theirs] = await timedInTurn(hand ? [ours, hand] : [ours])
    if (cliff && (mine ?? 0) > 30) slow.push(name)
    console.log(`${name.padEnd(44)}${(mine ?? 0).toFixed(2).padStart(10)}${(theirs?.toFixed(2) ?? '').padStart(10)}`)
  }
  return { figure: `${slow.length} shapes of lists take over 30 ms`, short: slow }
}

async function growth(): ReturnType<Part> {
  const allowed = 1.3
  const grown: string[] = []
  console.log(
    `\n${`growth from ${otherCount} objects`.padEnd(44)}${['ratio', 'few', 'many'].map((head) => head.padStart(10)).join('')}`,
  )
  const [fewObjects = people] = others
  for (const { name, page } of growthBenches(single)) {
    const [few = 0, many = 0] = await timedInTurn([() => page(fewObjects), () => page(people)])
    if (many / few > allowed) grown.push(`growth of ${name}`)
    console.log(name.padEnd(44) + [many / few, few, many].map((cell) => cell.toFixed(2).padStart(10)).join(''))
  }
  return { figure: `${grown.length} lists take over ${allowed} times as long with ${objects} objects`, short: grown }
}

/** Median times, measured alternately, so that disturbances affect all. */
async function timedInTurn(operations: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  const times = operations.map((): number[] => [])
  for (let at = 0; at < (quick ? 40 : 150); at++) {
    for (const [which, operation] of operations.entries()) {
      const began = performance.now()
      await operation()
      times[which]?.push(performance.now() - began)
    }
  }
  return times.map(median)
}
