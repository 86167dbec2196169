import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Pool } from 'pg'
import { openPostgresStore } from '../packages/server/src/store/postgres/postgres-store.ts'
import { measureRound, median, spread, type Contestant, type Figures } from './measure.ts'
import { growthBenches, listBenches } from './store/lists.ts'
import { load, loadOthers, otherCount, others, people } from './store/people.ts'
import { createOurs, writeBenches, type WriteBench } from './store/writes.ts'

/**
 * The store against a hand-written table with ideal indexes and a log row of its own, on one durable PostgreSQL with our
 * sequencer running. Ratios are medians of interleaved rounds; above 1 ours is faster.
 */
const quick = process.argv.includes('--quick')
const objects = quick ? 100_000 : 1_000_000
const rounds = quick ? 4 : 10
const seconds = quick ? 0.8 : 2
const callers = 16

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

const short: string[] = []
let warmUps = 0
const benches = writeBenches(grouped, pool, objects)
console.log(
  `\n${'against a table by hand'.padEnd(28)}${['ratio', 'spread', 'bar', 'ours/s', 'hand/s', 'ours µs CPU', 'hand µs CPU'].map((head) => head.padStart(13)).join('')}`,
)
for (const bench of benches) if (bench.name !== 'delete') await oneAtATime(bench)

console.log(
  `\n${'together against singly'.padEnd(28)}${['ratio', 'spread', 'bar', 'together/s', 'singly/s', 'p99 together', 'p99 singly'].map((head) => head.padStart(13)).join('')}`,
)
let created = objects + 5_000_000
const togetherBenches = [
  {
    name: 'create, 256 callers',
    bar: 2,
    callers: 256,
    run: (store: typeof single) => () => createOurs(store, created++),
  },
  {
    name: 'get, 256 callers',
    bar: 2.5,
    callers: 256,
    run: (store: typeof single) => (at: number) => store.get(people, `p-${(at * 7919) % objects}`),
  },
  {
    name: 'create, 16 callers',
    bar: 0,
    callers: 16,
    run: (store: typeof single) => () => createOurs(store, created++),
  },
  {
    name: 'get, 16 callers',
    bar: 0,
    callers: 16,
    run: (store: typeof single) => (at: number) => store.get(people, `p-${(at * 7919) % objects}`),
  },
]
for (const { name, bar, callers: many, run } of togetherBenches) {
  const { ratios, first, second } = await compete(
    { name: 'together', operation: run(grouped) },
    { name: 'singly', operation: run(single) },
    many,
  )
  const ratio = median(ratios)
  if (ratio < bar) short.push(name)
  row(name, [
    ratio.toFixed(2),
    spread(ratios),
    bar === 0 ? '' : bar.toFixed(2),
    rate(first),
    rate(second),
    ms(first),
    ms(second),
  ])
}

console.log(
  `\n${'lists, p50 in ms'.padEnd(44)}${['ours', 'hand', 'allowed'].map((head) => head.padStart(10)).join('')}`,
)
for (const { name, ours, hand, cliff } of listBenches(single, pool)) {
  const times = { ours: await timed(ours), hand: hand ? await timed(hand) : undefined }
  const allowed = cliff ? 30 : Math.max(5, 2 * (times.hand ?? 0))
  if (times.ours > allowed) short.push(name)
  console.log(
    `${name.padEnd(44)}${[times.ours.toFixed(2), times.hand?.toFixed(2) ?? '', allowed.toFixed(1)].map((cell) => cell.padStart(10)).join('')}`,
  )
}

const allowedGrowth = 1.3
console.log(
  `\n${`growth from ${otherCount} objects`.padEnd(44)}${['ratio', 'few', 'many', 'allowed'].map((head) => head.padStart(10)).join('')}`,
)
const [fewObjects = people] = others
for (const { name, page } of growthBenches(single)) {
  const [few, many] = await timedInTurn([() => page(fewObjects), () => page(people)])
  const ratio = many / few
  if (ratio > allowedGrowth) short.push(`growth of ${name}`)
  console.log(
    `${name.padEnd(44)}${[ratio.toFixed(2), few.toFixed(2), many.toFixed(2), allowedGrowth.toFixed(1)].map((cell) => cell.padStart(10)).join('')}`,
  )
}

// Last, because it deletes what the others read.
for (const bench of benches) if (bench.name === 'delete') await oneAtATime(bench)

await single[Symbol.asyncDispose]()
await grouped[Symbol.asyncDispose]()
await pool.end()
console.log(short.length === 0 ? 'all limits are met' : `${short.length} limits are not met: ${short.join('; ')}`)
process.exitCode = short.length === 0 ? 0 : 1

async function oneAtATime({ name, bar, ours, hand }: WriteBench): Promise<void> {
  await warmUp(ours, hand)
  const { ratios, first, second } = await compete(ours, hand, callers)
  const ratio = median(ratios)
  if (ratio < bar) short.push(name)
  row(name, [ratio.toFixed(2), spread(ratios), bar.toFixed(2), rate(first), rate(second), cpu(first), cpu(second)])
}

/** Every connection plans a statement five times before it caches a plan; that is not part of the steady state. */
async function warmUp(...contestants: readonly Contestant[]): Promise<void> {
  for (const contestant of contestants) await measureRound(contestant, { callers, seconds: 0.5, from: warmUps })
  warmUps += 20_000
}

async function compete(a: Contestant, b: Contestant, many: number) {
  const ratios: number[] = []
  const figures: { first: Figures[]; second: Figures[] } = { first: [], second: [] }
  let next = warmUps
  for (let round = 0; round < rounds; round++) {
    const options = { callers: many, seconds, from: next }
    const order = round % 2 === 0 ? [a, b] : [b, a]
    const results = new Map<Contestant, Figures & { count: number }>()
    for (const contestant of order) results.set(contestant, await measureRound(contestant, options))
    const [first, second] = [results.get(a), results.get(b)]
    if (!first || !second) throw new Error('a round has no result')
    next += Math.max(first.count, second.count) + many
    ratios.push(first.perSecond / second.perSecond)
    figures.first.push(first)
    figures.second.push(second)
  }
  return { ratios, ...figures }
}

async function timed(operation: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < (quick ? 15 : 40); at++) {
    const began = performance.now()
    await operation()
    times.push(performance.now() - began)
  }
  return median(times)
}

/** Medians of both, measured alternately, so that disturbances affect both. */
async function timedInTurn([first, second]: [() => Promise<unknown>, () => Promise<unknown>]): Promise<
  [number, number]
> {
  const times: [number[], number[]] = [[], []]
  for (let at = 0; at < (quick ? 60 : 200); at++) {
    for (const [which, operation] of [first, second].entries()) {
      const began = performance.now()
      await operation()
      times[which]?.push(performance.now() - began)
    }
  }
  return [median(times[0]), median(times[1])]
}

function row(name: string, cells: readonly string[]): void {
  console.log(name.padEnd(28) + cells.map((cell) => cell.padStart(13)).join(''))
}

function rate(figures: readonly Figures[]): string {
  return median(figures.map(({ perSecond }) => perSecond)).toFixed(0)
}

function cpu(figures: readonly Figures[]): string {
  return median(figures.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(0)
}

function ms(figures: readonly Figures[]): string {
  return `${median(figures.map(({ p99 }) => p99)).toFixed(1)} ms`
}
