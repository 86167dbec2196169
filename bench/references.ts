import { randomUUID } from 'node:crypto'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { openReplica } from '../packages/server/src/models/contract/replica.ts'
import { createStreamLimits, unboundedLists } from '../packages/server/src/models/query/stream-limits.ts'
import { listObjects } from '../packages/server/src/models/verbs/list.ts'
import { openPostgresStore } from '../packages/server/src/store/postgres/postgres-store.ts'
import type { CreateOperation, ModelDeclaration, WriteOperation } from '../packages/server/src/store/store.ts'
import { measureRound, median, spread, type Contestant } from './measure.ts'

/**
 * CPU of a create with one reference against one without, of deleting objects of a model that another one refers to against one
 * that nobody refers to, and of a list of 20 with `expand` against the same list without, on one durable PostgreSQL, in
 * interleaved rounds. Counts this process and the database. At last the rate of creates that all refer to one object which is
 * updated all the time, against the rate of creates without a reference beside the same updates.
 */
const quick = process.argv.includes('--quick')
const rounds = quick ? 5 : 15
const seconds = quick ? 1 : 2
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
const perRound = 40_000
async function fill(model: ModelDeclaration, round: number): Promise<void> {
  for (let from = 0; from < perRound; from += 1_000) {
    const names = Array.from({ length: 1_000 }, (_, at) => `d-${round}-${from + at}`)
    await store.write(names.map((name) => create(model, name)))
  }
}

const schemaOf = (fields: object) => ({ properties: { spec: { type: 'object', properties: fields } } })
const text = { type: 'string' }
const servedGroup = 'test.example.com'
const models = { group: servedGroup, specRequired: true, statusSubresource: false }
const hall = { ...models, kind: 'Hall', singular: 'hall', plural: 'halls' }
const event = { ...models, kind: 'Event', singular: 'event', plural: 'events' }
const toHall = { ...text, 'x-reference': { group: servedGroup, plural: 'halls' } }

/** Lists of 20 events, each in its own hall, without HTTP: objects of about 600 bytes. */
async function listing(): Promise<(query: string) => Promise<unknown>> {
  const replica = await openReplica(store)
  await replica.declare({ ...hall, versions: [{ name: 'v1', schema: schemaOf({ note: text }) }] })
  await replica.declare({ ...event, versions: [{ name: 'v1', schema: schemaOf({ hall: toHall, note: text }) }] })
  const note = 'x'.repeat(400)
  for (let at = 0; at < 1_000; at++) {
    const name = `h-${at}`
    await replica.of('halls').create({ metadata: { name }, spec: { note } })
    await replica.of('events').create({ metadata: { name: `e-${at}` }, spec: { hall: name, note } })
  }
  const address = { group: servedGroup, version: 'v1', plural: 'events' }
  const streams = createStreamLimits({ inAll: 1, perCaller: 1, ...unboundedLists })
  const allowed = async () => true
  const parts = { models: replica.registry, may: allowed, maySome: allowed, assertServed: () => {}, isAnonymous: false }
  return (query) => {
    const asked = { query: new URLSearchParams(query), caller: { kind: 'anonymous' as const }, related: parts }
    return replica.registry.using(address, (model) => listObjects({ store, streams }, model, asked))
  }
}
const list = await listing()

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

interface Comparison {
  readonly name: string
  readonly bar: number
  /** Compared instead of CPU: a rate, of which `bar` is the least. */
  readonly rate?: true
  readonly before: (round: number) => Promise<void>
  readonly ours: Contestant
  readonly other: Contestant
}

let created = 0
let round = 0
const deleting = (model: ModelDeclaration): Contestant => {
  let next = 0
  let current = -1
  return {
    name: model.plural,
    operation: () => {
      if (current !== round) [current, next] = [round, 0]
      return store.write([{ type: 'delete', model, name: `d-${round}-${next++}` }]).catch(() => undefined)
    },
  }
}
const comparisons: readonly Comparison[] = [
  {
    name: 'create with a reference',
    bar: 1.15,
    before: async () => {},
    ours: { name: 'referring', operation: (at) => store.write([create(referring, `c-${created++}`, target(at))]) },
    other: { name: 'plain', operation: (at) => store.write([create(plain, `c-${created++}`, target(at))]) },
  },
  {
    name: 'delete of a target',
    bar: 1.2,
    before: async (which) => {
      await fill(places, which)
      await fill(spots, which)
    },
    ours: deleting(places),
    other: deleting(spots),
  },
  {
    name: 'list of 20 with expand',
    bar: 1.6,
    before: async () => {},
    ours: { name: 'with expand', operation: () => list('size=20&expand=spec.hall') },
    other: { name: 'without', operation: () => list('size=20') },
  },
  {
    name: 'creates beside updates, rate',
    bar: 0.8,
    rate: true,
    before: async () => {},
    ours: { name: 'referring', operation: () => store.write([create(referring, `c-${created++}`, hot)]) },
    other: { name: 'plain', operation: () => store.write([create(plain, `c-${created++}`, hot)]) },
  },
]

/** Per operation in microseconds of CPU, or operations per second. */
async function figureOf(one: Contestant, { rate, round: from }: { rate?: true | undefined; round: number }) {
  isUpdating = rate ?? false
  const updating = updateHot()
  const { cpuMicroseconds, perSecond } = await measureRound(one, { callers, seconds, from: from * 1_000_000 })
  isUpdating = false
  await updating
  return rate ? perSecond : cpuMicroseconds
}

let short = 0
console.log(
  `${'ratio'.padEnd(30)}${['ratio', 'spread', 'bar', 'µs', 'µs without'].map((head) => head.padStart(12)).join('')}`,
)
for (const { name, bar, rate, before, ours, other } of comparisons) {
  const ratios: number[] = []
  const figures: number[][] = [[], []]
  for (round = 0; round <= rounds; round++) {
    await before(round)
    const order = round % 2 === 0 ? [ours, other] : [other, ours]
    const found = new Map<Contestant, number>()
    for (const one of order) found.set(one, await figureOf(one, { rate, round }))
    // The first round warms up.
    if (round === 0) continue
    const [with_, without] = [found.get(ours) ?? 0, found.get(other) ?? 0]
    ratios.push(with_ / without)
    figures[0]?.push(with_)
    figures[1]?.push(without)
  }
  const ratio = median(ratios)
  if (rate ? ratio < bar : ratio > bar) short++
  const cells = [ratio.toFixed(2), spread(ratios), bar.toFixed(2), ...figures.map((one) => median(one).toFixed(0))]
  console.log(name.padEnd(30) + cells.map((cell) => cell.padStart(12)).join(''))
}
console.log(`${comparisons.length - short} of ${comparisons.length} within their bars`)
process.exitCode = short === 0 ? 0 : 1
