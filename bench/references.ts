import { randomUUID } from 'node:crypto'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { openPostgresStore } from '../packages/server/src/store/postgres/postgres-store.ts'
import type { CreateOperation, ModelDeclaration, WriteOperation } from '../packages/server/src/store/store.ts'
import { startPergola } from '../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../tests/end-to-end/seed-administrator.ts'
import { openConnections } from './http/connections.ts'
import { head, post, register, sending, token } from './http/requests.ts'
import { runRound, totalOf, type Contestant } from './measure/compete.ts'
import { median, spread } from './measure/statistics.ts'

/**
 * CPU of a create with one reference against one without, of deleting objects of a model that another one refers to against one
 * that nobody refers to, and of a list of 20 with `expand` against the same list without, on one durable PostgreSQL, in
 * interleaved rounds. Counts this process and the database. At last the rate of creates that all refer to one object which is
 * updated all the time, against the rate of creates without a reference beside the same updates.
 */
const quick = process.argv.includes('--quick')
const rounds = quick ? 5 : 15
const warmUps = 2
const count = quick ? 3_000 : 8_000
/** This process is the host of the store. */
const here = { host: [process.pid] }
const callers = 16
const targets = 10_000

const group = 'example.com'
const places: ModelDeclaration = { group, plural: 'places', indexes: [] }
const spots: ModelDeclaration = { group, plural: 'spots', indexes: [] }
const trips = (plural: string, refersTo?: ModelDeclaration): ModelDeclaration => ({
  group,
  plural,
  indexes: [{ name: 'to', ...(refersTo && { refersTo }) }],
})
const referring = trips('referring', places)
const plain = trips('plain')

await using server = await startPostgres('18', { durable: true })
await using stack = new AsyncDisposableStack()
await using database = await createDatabase(server.url)
await using store = await openPostgresStore({ url: database.url, onConnectionLost: console.error })
for (const model of [places, spots, referring, plain]) await store.openModel(model)

const create = (model: ModelDeclaration, name: string, to?: string): CreateOperation => ({
  type: 'create',
  model,
  name,
  uid: randomUUID(),
  content: {
    data: Buffer.from(`{"spec":{"to":"${to}"},"metadata":{}}`),
    storedAs: 'v1',
    held: false,
    indexed: { labels: {}, single: { to }, multi: {} },
  },
})
const target = (at: number) => `p-${(at * 7919) % targets}`
for (let from = 0; from < targets; from += 1_000) {
  const names = Array.from({ length: 1_000 }, (_, at) => `p-${from + at}`)
  await store.write(names.map((name) => create(places, name)))
}

/** Objects to delete, created outside of the measurement. */
const perRound = 10_000
async function fill(model: ModelDeclaration, round: number): Promise<void> {
  for (let from = 0; from < perRound; from += 1_000) {
    const names = Array.from({ length: 1_000 }, (_, at) => `d-${round}-${from + at}`)
    await store.write(names.map((name) => create(model, name)))
  }
}

const schemaOf = (fields: object) => ({ properties: { spec: { type: 'object', properties: fields } } })
const text = { type: 'string' }
const servedGroup = 'test.example.com'
const models = { group: servedGroup }
const hall = { ...models, kind: 'Hall', singular: 'hall', plural: 'halls' }
const event = { ...models, kind: 'Event', singular: 'event', plural: 'events' }
const toHall = { ...text, 'x-reference': { group: servedGroup, plural: 'halls' } }

/** Lists of 20 events by HTTP, each in its own hall: objects of about 600 bytes. Counts the host and the database. */
async function listing(): Promise<(query: string, round: number) => Promise<number>> {
  const served = stack.use(await createDatabase(server.url))
  await seedAdministrator(served.url, token)
  const host = stack.use(startPergola({ env: { PERGOLA_DATABASE_URL: served.url, PERGOLA_LOG_LEVEL: 'warn' } }))
  const url = await host.url()
  await register(url, { spec: { ...hall, versions: [{ name: 'v1', schema: schemaOf({ note: text }) }] } })
  await register(url, {
    spec: { ...event, versions: [{ name: 'v1', schema: schemaOf({ hall: toHall, note: text }) }] },
  })
  const note = 'x'.repeat(400)
  const path = `/apis/${servedGroup}/v1`
  for (let at = 0; at < 1_000; at++) {
    const name = `h-${at}`
    await post(url, `${path}/halls`, { metadata: { name }, spec: { note } })
    await post(url, `${path}/events`, { metadata: { name: `e-${at}` }, spec: { hall: name, note } })
  }
  const connections = stack.use(await openConnections(url, callers))
  return async (query, from) => {
    const request = () => head('GET', `${path}/events?${query}`)
    const contestant = { processes: { host: [host.pid] }, operation: sending(connections, { request, status: 200 }) }
    return totalOf(await runRound(contestant, { callers, count, from }))
  }
}

/** The object that every create of the last comparison refers to. */
const hot = 'p-0'
let isUpdating = false
/** Updates it, one after the other, while `isUpdating`. */
async function updateHot(): Promise<void> {
  let stored = await store.get(places, hot)
  for (let at = 0; isUpdating && stored; at++) {
    const { uid, version } = stored
    const content = { ...create(places, hot, String(at)).content, indexed: 'kept' as const }
    const update: WriteOperation = {
      type: 'update',
      model: places,
      name: hot,
      expected: { uid, version },
      content,
      newGeneration: true,
    }
    stored = (await store.write([update]))[0]?.object
  }
}

/** Microseconds of CPU per operation, or operations per second. */
type Figure = (round: number) => Promise<number>

interface Comparison {
  readonly name: string
  readonly bar: number
  /** `bar` is the least, not the most. */
  readonly isRate?: true
  readonly before?: (round: number) => Promise<void>
  readonly ours: Figure
  readonly other: Figure
}

let created = 0
const from = (round: number) => round * 1_000_000
const cpuOf =
  (operation: Contestant['operation']): Figure =>
  async (round) =>
    totalOf(await runRound({ processes: here, operation }, { callers, count, from: from(round) }))

const creating = (model: ModelDeclaration, to: (at: number) => string) => (at: number) =>
  store.write([create(model, `c-${created++}`, to(at))])

function deleting(model: ModelDeclaration): Figure {
  return (round) => {
    let next = 0
    const one = () => store.write([{ type: 'delete', model, name: `d-${round}-${next++}` }]).catch(() => undefined)
    return cpuOf(one)(round)
  }
}

function rateBesideUpdates(model: ModelDeclaration): Figure {
  return async (round) => {
    isUpdating = true
    const updating = updateHot()
    const operation = creating(model, () => hot)
    const { perSecond } = await runRound({ processes: here, operation }, { callers, count, from: from(round) })
    isUpdating = false
    await updating
    return perSecond
  }
}

const list = await listing()
const comparisons: readonly Comparison[] = [
  {
    name: 'create with a reference',
    bar: 1.15,
    ours: cpuOf(creating(referring, target)),
    other: cpuOf(creating(plain, target)),
  },
  {
    name: 'delete of a target',
    bar: 1.2,
    before: async (round) => {
      await fill(places, round)
      await fill(spots, round)
    },
    ours: deleting(places),
    other: deleting(spots),
  },
  {
    name: 'list of 20 with expand',
    bar: 1.6,
    ours: (round) => list('size=20&expand=spec.hall', from(round)),
    other: (round) => list('size=20', from(round)),
  },
  {
    name: 'creates beside updates, rate',
    bar: 0.8,
    isRate: true,
    ours: rateBesideUpdates(referring),
    other: rateBesideUpdates(plain),
  },
]

let short = 0
console.log(
  `${'ratio'.padEnd(30)}${['ratio', 'spread', 'bar', 'figure', 'without'].map((cell) => cell.padStart(12)).join('')}`,
)
const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length) ?? ''
const compared = comparisons.filter(({ name }) => name.includes(only))
for (const { name, bar, isRate, before, ours, other } of compared) {
  const ratios: number[] = []
  const figures: readonly number[][] = [[], []]
  for (let round = 0; round < warmUps + rounds; round++) {
    await before?.(round)
    const first = round % 2 === 0 ? await ours(round) : undefined
    const without = await other(round)
    const with_ = first ?? (await ours(round))
    if (round < warmUps) continue
    ratios.push(with_ / without)
    figures[0]?.push(with_)
    figures[1]?.push(without)
  }
  const ratio = median(ratios)
  if (isRate ? ratio < bar : ratio > bar) short++
  const cells = [ratio.toFixed(2), spread(ratios), bar.toFixed(2), ...figures.map((one) => median(one).toFixed(0))]
  console.log(name.padEnd(30) + cells.map((cell) => cell.padStart(12)).join(''))
}
console.log(`${compared.length - short} of ${compared.length} within their bars`)
process.exitCode = short === 0 ? 0 : 1
