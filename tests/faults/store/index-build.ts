import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Client } from 'pg'
import { quantile } from '../../../bench/measure/statistics.ts'
import { uuidv7 } from '../../../packages/server/src/base/uuid.ts'
import { StaleModel } from '../../../packages/server/src/store/stale-model.ts'
import type { Cursor, ModelDeclaration, Store } from '../../../packages/server/src/store/store.ts'
import { WriteConflict } from '../../../packages/server/src/store/write-conflict.ts'
import { checkStore } from './checker.ts'
import { startChild } from './child-process.ts'
import { beforeIndexes, indexedOf, personOf, withIndex, withSet } from './indexed-model.ts'
import { openQuietly } from './open-quietly.ts'
import type { BuilderLine } from './processes/index-builder.ts'
import type { Trial, TrialResult } from './trial.ts'

const writesPerSecond = 500
const wantedRowsPerSecond = 15_000
const allowedRatio = 2

/**
 * Adds an index and then a set to a model of many objects during 500 writes a second and a slow read of a list
 * of all objects. The building process is killed midway, and another one continues.
 */
export const indexBuild: Trial = {
  name: 'an index build',
  run: async ({ quick }): Promise<TrialResult> => {
    const objects = quick ? 100_000 : 1_000_000
    await using server = await startPostgres('18', { durable: true })
    await using database = await createDatabase(server.url)
    await using store = await openQuietly(database.url)
    await store.openModel(beforeIndexes)
    await loadPeople(database.url, objects)
    await using load = startWriters(store, objects)
    await sleep(5_000)
    load.takeLatencies()
    await sleep(quick ? 8_000 : 20_000)
    const alone = load.takeLatencies()
    await using reader = startReader(store)
    await sleep(quick ? 8_000 : 20_000)
    const before = load.takeLatencies()
    const index = await buildAndKill(database.url, 'index')
    const during = load.takeLatencies()
    const set = await buildAndKill(database.url, 'set')
    const duringSet = load.takeLatencies()
    await reader[Symbol.asyncDispose]()
    await load[Symbol.asyncDispose]()
    const figures = [
      `index ${words(index)}, set ${words(set)} of ${objects}`,
      `writers p50 and p99 ${ms(alone)} ms alone, ${ms(before)} beside the reader, ${ms(during)} and ${ms(duringSet)} during`,
      `${load.written()} writes, ${reader.pages()} pages read meanwhile`,
    ]
    const slow = [...slowness('index', index), ...delay('index', before, during)]
    const faults = [...(await checkStore(database.url, { bulkLoaded: true })), ...(await missingEntries(store))]
    return { figures: figures.join('; '), faults, slow }
  },
}

interface Built {
  readonly rowsPerSecond: number
  /** Progress when the first builder was killed. */
  readonly killedAt: number
}

/** Excludes the time until the lease of the killed builder expired. */
async function buildAndKill(url: string, what: 'index' | 'set'): Promise<Built> {
  const began = performance.now()
  await using first = startChild<BuilderLine>({ file: 'index-builder.ts', args: [url, what] })
  const { done, total } = await first.first((line) => line.done > line.total / 2)
  first.signal('SIGKILL')
  const killed = performance.now()
  await first.closed
  const reached = first.lines.at(-1)?.done ?? done
  await using second = startChild<BuilderLine>({ file: 'index-builder.ts', args: [url, what] })
  await second.first((line) => line.done > reached || line.built)
  const resumed = performance.now()
  await second.first(({ built }) => built)
  const seconds = (killed - began + performance.now() - resumed) / 1000
  return { rowsPerSecond: total / seconds, killedAt: done / total }
}

function words({ rowsPerSecond, killedAt }: Built): string {
  return `${rowsPerSecond.toFixed(0)} rows/s, killed at ${(killedAt * 100).toFixed(0)} %`
}

function slowness(what: string, { rowsPerSecond }: Built): string[] {
  if (rowsPerSecond >= wantedRowsPerSecond) return []
  return [`the ${what} was built at ${rowsPerSecond.toFixed(0)} rows/s; ${wantedRowsPerSecond} are wanted`]
}

function delay(what: string, before: readonly number[], during: readonly number[]): string[] {
  const ratio = p99(during) / p99(before)
  return ratio <= allowedRatio ? [] : [`the ${what} made writers' p99 ${ratio.toFixed(1)} times what it was`]
}

function p99(latencies: readonly number[]): number {
  return quantile(
    latencies.toSorted((a, b) => a - b),
    0.99,
  )
}

/** p50 and p99. */
const ms = (latencies: readonly number[]) =>
  `${quantile(
    latencies.toSorted((a, b) => a - b),
    0.5,
  ).toFixed(1)} and ${p99(latencies).toFixed(1)}`

interface Writers extends AsyncDisposable {
  takeLatencies(): number[]
  written(): number
}

/** Half creates, half updates; a writer that meets a newer declaration reopens the model and continues. */
function startWriters(store: Store, objects: number): Writers {
  const latencies: number[] = []
  const declarations = [beforeIndexes, withIndex, withSet]
  let [edition, written, stopped] = [0, 0, false]
  let takingUp: Promise<number> | undefined

  const write = async (at: number) => {
    const began = performance.now()
    try {
      if (at % 2 === 0) await create(store, { at: objects + at, edition })
      else await update(store, { at: (at * 7919) % objects, salt: at, edition })
      written++
      latencies.push(performance.now() - began)
    } catch (error) {
      if (!(error instanceof StaleModel)) {
        if (error instanceof WriteConflict) return
        throw error
      }
      takingUp ??= takeUp(store, declarations).finally(() => (takingUp = undefined))
      edition = await takingUp
    }
  }
  const run = async () => {
    const began = performance.now()
    const underWay = new Set<Promise<void>>()
    for (let offered = 0; !stopped; await sleep(2)) {
      for (const due = ((performance.now() - began) / 1000) * writesPerSecond; offered < due; offered++) {
        const one = write(offered).finally(() => underWay.delete(one))
        underWay.add(one)
      }
    }
    await Promise.all(underWay)
  }
  const running = run()
  return {
    takeLatencies: () => latencies.splice(0),
    written: () => written,
    [Symbol.asyncDispose]: async () => {
      stopped = true
      await running
    },
  }
}

/** The newest opened declaration; older ones are rejected. */
async function takeUp(store: Store, declarations: readonly ModelDeclaration[]): Promise<number> {
  for (const declaration of declarations) {
    try {
      await store.openModel(declaration)
      return declaration.edition ?? 0
    } catch (error) {
      if (!(error instanceof StaleModel)) throw error
    }
  }
  throw new Error('no declaration is the one that holds')
}

interface Target {
  readonly at: number
  readonly salt?: number
  readonly edition: number
}

function contentOf({ at, salt = 0, edition }: Target) {
  const person = personOf(at, salt)
  return { data: Buffer.from(JSON.stringify(person)), storedAs: 'v1', held: false, indexed: indexedOf(person), edition }
}

async function create(store: Store, target: Target): Promise<void> {
  const name = `p-${target.at}`
  await store.write([
    { type: 'create', model: beforeIndexes, name, uid: uuidv7(Date.now()), content: contentOf(target) },
  ])
}

async function update(store: Store, target: Target): Promise<void> {
  const name = `p-${target.at}`
  const stored = await store.get(beforeIndexes, name)
  if (!stored) throw new Error(`${name} is gone`)
  const { uid, version } = stored
  const content = contentOf(target)
  await store.write([
    { type: 'update', model: beforeIndexes, name, expected: { uid, version }, content, newGeneration: true },
  ])
}

/** Reads everything slowly, page after page, over and over. */
function startReader(store: Store): AsyncDisposable & { pages(): number } {
  let [pages, stopped] = [0, false]
  const run = async () => {
    for (let after: Cursor | undefined; !stopped; await sleep(250)) {
      try {
        const page = await store.list(beforeIndexes, {
          limit: 500,
          total: 'none',
          ...(after !== undefined && { after }),
        })
        after = page.next
        pages++
      } catch (error) {
        if (!(error instanceof StaleModel)) throw error
      }
    }
  }
  const running = run()
  return {
    pages: () => pages,
    [Symbol.asyncDispose]: async () => {
      stopped = true
      await running
    },
  }
}

/** Every object is found by its country and by each of its roles: compares counts by the new indexes and by the data. */
async function missingEntries(store: Store): Promise<readonly string[]> {
  const expected = new Map<string, number>()
  for (let after: Cursor | undefined; ;) {
    const page = await store.list(withSet, { limit: 5_000, total: 'none', ...(after !== undefined && { after }) })
    for (const { data } of page.items) {
      const { single, multi } = indexedOf(JSON.parse(String(data)))
      for (const key of [`country ${single['country']}`, ...(multi['roles'] ?? []).map((role) => `roles ${role}`)]) {
        expected.set(key, (expected.get(key) ?? 0) + 1)
      }
    }
    after = page.next
    if (after === undefined) break
  }
  const faults: string[] = []
  for (const [key, count] of expected) {
    const [field = '', value = ''] = key.split(' ')
    const { total } = await store.list(withSet, {
      limit: 1,
      where: [{ field, is: { op: '=', value } }],
      total: 'exact',
    })
    if (total?.count !== count) faults.push(`${total?.count} objects are found by ${key}; there are ${count}`)
  }
  return faults
}

/** Inserts directly, for speed, in the order of creation and in the format of the store. */
async function loadPeople(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const chunk = 10_000
  for (let from = 0; from < count; from += chunk) {
    const numbers = Array.from({ length: Math.min(chunk, count - from) }, (_, at) => from + at)
    const people = numbers.map((at) => personOf(at))
    await client.query(
      `INSERT INTO m_1 (id, name, uid, version, generation, index_generation, held, stored_as, labels, sets, ix_1, ix_2, ix_3, data)
       SELECT (1700000000000 + at) << 20, 'p-' || at, gen_random_uuid(), 0, 1, 1, false, 'v1', labels, '{}', city, age, email, data
       FROM unnest($1::bigint[], $2::jsonb[], $3::text[], $4::text[], $5::text[], $6::bytea[]) AS t (at, labels, city, age, email, data)`,
      [
        numbers,
        people.map((person) => JSON.stringify(indexedOf(person).labels)),
        people.map(({ city }) => city),
        people.map(({ age }) => age),
        people.map(({ email }) => email),
        people.map((person) => Buffer.from(JSON.stringify(person))),
      ],
    )
  }
  await client.query(
    `INSERT INTO m_1_l (key, value, id) SELECT l.key, l.value, m.id FROM m_1 m, jsonb_each_text(m.labels) l ORDER BY 1, 2, 3`,
  )
  await client.query('VACUUM ANALYZE')
  await client.query('CHECKPOINT')
  await client.end()
}
