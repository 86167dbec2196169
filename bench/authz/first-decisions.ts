import type { RequestInfo } from '@pergola/api'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Pool } from 'pg'
import { systemClock } from '../../packages/server/src/base/clock.ts'
import { builtInRoles } from '../../packages/server/src/access/built-in-roles.ts'
import { createLogFeed } from '../../packages/server/src/feed/log-feed.ts'
import { createAuthorize } from '../../packages/server/src/access/decisions/authorize.ts'
import { createRoleBook } from '../../packages/server/src/access/decisions/role-book.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { createAccessSource, noPlugins } from '../../packages/server/src/access/access-source.ts'
import { openPostgresStore } from '../../packages/server/src/store/postgres/postgres-store.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { quantile } from '../measure/statistics.ts'
import { callerOf, crowdRoles, loadCrowd, openCrowdModels, roleNameOf } from './crowd.ts'
import { memoryNow } from './heap.ts'
import type { Part } from '../measure/part.ts'
import { createDice, randomRequests } from './policy.ts'

/** Limit for p99 of first decisions, in milliseconds. */
const firstBar = 5
/** Allowed growth of heap and process after the caches are full, in MiB; a cached user takes some 2 KiB. */
const growthBars = { heap: 16, resident: 128 }
/** Concurrent users in the memory measurement. */
const atATime = 32

/**
 * First decisions of users, which read their roles from the database, and later ones. All users and
 * bindings are in PostgreSQL; the process caches the most recent users.
 */
export const firstDecisions: Part = async ({ quick }) => {
  // Few enough that all are still cached at their second decision: at least half of the cache size.
  const sizes = quick
    ? { count: 100_000, timed: 3_000, full: 30_000, passing: 60_000 }
    : { count: 1_000_000, timed: 9_000, full: 40_000, passing: 200_000 }
  await using server = await startPostgres('18', { durable: true })
  await using database = await createDatabase(server.url)
  await using running = new AsyncDisposableStack()
  const pool = running.adopt(new Pool({ connectionString: database.url, max: 1 }), (one) => one.end())
  // The server is stopped as soon as the pool says it has ended, which can be before its last connection is gone.
  pool.on('error', () => {})
  const store = running.use(await openPostgresStore({ url: database.url, onConnectionLost: console.error }))
  const models = await openCrowdModels(store)
  const began = performance.now()
  await loadCrowd(store, pool, { ...models, count: sizes.count })
  const seconds = (performance.now() - began) / 1000
  console.log(`\n${sizes.count} users with a binding each, loaded in ${seconds.toFixed(0)} s\n`)

  const counted = countReads(store)
  const log = createLog({ level: 'warn', pretty: false, write: (line) => process.stderr.write(line) })
  const feed = running.use(createLogFeed(store, log))
  await feed.start()
  const source = running.use(createAccessSource({ store: counted.store, feed, ...noProviders() }))
  await source.start()
  const authorize = createAuthorize(source)
  const visit: Visit = async (user) => (await authorize(callerOf(user), requestOf(user))).allowed
  const users = strangers(sizes.count)
  const before = memoryNow()

  const chosen = Array.from({ length: sizes.timed }, users)
  // The first decisions also open connections and plan statements.
  for (let at = 0; at < 500; at++) await visit(users())
  const [first, bare] = await timed(chosen, [visit, () => store.ping().then(() => true)])
  const readsBefore = counted.reads()
  const [again] = await timed(chosen, [visit])
  const reads = counted.reads() - readsBefore
  row('ms a decision, one at a time', ['p50', 'p99', 'bar'])
  row('of a user who comes for the first time', [ms(first.p50), ms(first.p99), `< ${firstBar}`])
  row('of one who was here before', [ms(again.p50), ms(again.p99), `${reads} reads`])
  row('a bare round trip, to compare with', [ms(bare.p50), ms(bare.p99)])
  const wrong = chosen.filter((user, at) => first.decided[at] !== mayBy(user) || again.decided[at] !== mayBy(user))

  const passing = async (many: number) => {
    let left = many
    const one = async () => {
      while (left-- > 0) await visit(users())
    }
    await Promise.all(Array.from({ length: atATime }, one))
    return memoryNow()
  }
  const full = await passing(sizes.full)
  const after = await passing(sizes.passing)
  console.log()
  row('MiB of memory', ['resident', 'heap'])
  row('before anybody came', [mib(before.resident), mib(before.heap)])
  row(`after ${sizes.full + sizes.timed} users`, [mib(full.resident), mib(full.heap)])
  row(`after ${sizes.passing} more`, [mib(after.resident), mib(after.heap)])
  const growth = { heap: (after.heap - full.heap) / 2 ** 20, resident: (after.resident - full.resident) / 2 ** 20 }
  row('may grow by', [String(growthBars.resident), String(growthBars.heap)])

  return {
    figure: `first decision of a user p99 ${first.p99.toFixed(2)} ms among ${sizes.count}, ${growth.resident.toFixed(0)} MiB more after ${sizes.passing} others`,
    short: [
      ...(first.p99 < firstBar ? [] : [`the first decision of a user takes ${first.p99.toFixed(1)} ms`]),
      ...(reads === 0 ? [] : [`users who were here before are read ${reads} times`]),
      ...(wrong.length === 0 ? [] : [`${wrong.length} decisions are not what the user's roles say`]),
      ...(growth.heap < growthBars.heap && growth.resident < growthBars.resident
        ? []
        : [
            `${sizes.passing} users leave ${growth.resident.toFixed(0)} MiB, ${growth.heap.toFixed(0)} of them on the heap`,
          ]),
    ],
  }
}

/** A different user each time, spread over all users. */
function strangers(count: number): () => number {
  const stride = Math.floor(count * 0.618) | 1
  let at = 0
  return () => (at = (at + stride) % count)
}

type Visit = (user: number) => Promise<boolean>

const requests = randomRequests(
  createDice(3),
  crowdRoles.flatMap(({ rules }) => rules),
  2_000,
)

function requestOf(user: number): RequestInfo {
  const request = requests[user % requests.length]
  if (!request) throw new Error('there is no request')
  return request
}

/** Everybody holds these without a binding. */
const always = ['anonymous', 'authenticated']
const alwaysHeld = builtInRoles
  .filter(({ name }) => always.includes(name))
  .map(({ name, rules }) => ({ name, rules, dependencies: [], aggregatesTo: [], uiPermissions: [] }))
const book = createRoleBook([...alwaysHeld, ...crowdRoles], { pluginOf: () => undefined })
/** The expected result. */
const mayBy = (user: number): boolean =>
  book.hold([roleNameOf(user), ...always].map((name) => ({ name }))).find(requestOf(user)) !== undefined

interface Timed {
  readonly p50: number
  readonly p99: number
  readonly decided: readonly boolean[]
}

/** Alternates for each user, so that noise affects both equally. */
async function timed<Visits extends readonly Visit[]>(
  users: readonly number[],
  visits: readonly [...Visits],
): Promise<{ [At in keyof Visits]: Timed }> {
  const all = visits.map(() => ({ times: [] as number[], decided: [] as boolean[] }))
  for (const user of users) {
    for (const [at, visit] of visits.entries()) {
      const began = performance.now()
      all[at]?.decided.push(await visit(user))
      all[at]?.times.push(performance.now() - began)
    }
  }
  return all.map(({ times, decided }) => {
    const sorted = times.toSorted((a, b) => a - b)
    return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), decided }
  }) as { [At in keyof Visits]: Timed }
}

function countReads(store: Store): { readonly store: Store; readonly reads: () => number } {
  let reads = 0
  const counting: Store = {
    ...store,
    get: (...asked) => {
      reads++
      return store.get(...asked)
    },
    list: (...asked) => {
      reads++
      return store.list(...asked)
    },
  }
  return { store: counting, reads: () => reads }
}

const ms = (value: number): string => value.toFixed(3)
const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)

function row(name: string, cells: readonly string[]): void {
  console.log(name.padEnd(42) + cells.map((cell) => cell.padStart(14)).join(''))
}

/** No roles from identity providers. */
function noProviders() {
  return {
    clock: systemClock,
    countsUntil: () => Number.POSITIVE_INFINITY,
    claims: () => noPlugins,
  }
}
