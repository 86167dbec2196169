import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Client } from 'pg'
import { compileObjectSchema } from '../packages/server/src/validation/compile-schema.ts'
import { createValidate } from '../packages/server/src/validation/schema-validator.ts'
import { startPergola } from '../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../tests/end-to-end/seed-administrator.ts'
import { openConnections, type Connections } from './http/connections.ts'
import { cities, group, modelOf, personOf } from './http/people.ts'
import { head, post, register, sendFor, token, withBody, type Round } from './http/requests.ts'
import { median, spread } from './measure.ts'

/**
 * The generated API against a bare stack: Fastify and the driver doing the same statement on the same table, without
 * authentication, authorization, validation or anything else. Interleaved rounds; above 1 ours is faster.
 */
const quick = process.argv.includes('--quick')
const rounds = quick ? 4 : 10
const seconds = quick ? 1 : 2
const objects = 10_000
const manyModels = 300
const plural = 'people'

await using server = await startPostgres('18', { durable: true })
await using database = await createDatabase(server.url)
await seedAdministrator(database.url, token)
const env = {
  PERGOLA_DATABASE_URL: database.url,
  PERGOLA_LOG_LEVEL: process.env['PERGOLA_LOG_LEVEL'] ?? 'info',
}
const short: string[] = []
let created = objects
const fresh = () => created++
/** Counter in every update, so that each changes something. */
let changes = 0
const another = () => ++changes
/** Versions read by the bare client, which an update must state. */
const versions = new Map<number, { uid: string; version: number }>()

{
  await using ours = startPergola({ env })
  const oursUrl = await ours.url()
  await register(oursUrl, modelOf(plural, 'Person'))
  for (let at = 1; at < manyModels; at++) await register(oursUrl, modelOf(`things${at}`, `Thing${at}`))
  console.log(`${manyModels} models, ${objects} objects in one of them`)
  await fill(oursUrl)
  await settle()
  await using bare = await startBare(database.url)
  const contestants = [ours.pid, bare.pid] as const
  console.log(
    `\n${'against the bare stack'.padEnd(24)}${['callers', 'ratio', 'spread', 'bar', 'ours/s', 'bare/s', 'ours p99', 'bare p99', 'ours µs CPU', 'bare µs CPU'].map((title) => title.padStart(12)).join('')}`,
  )
  for (const callers of [1, 32, 128]) {
    using toOurs = await openConnections(oursUrl, callers)
    using toBare = await openConnections(bare.url, callers)
    for (const operation of operations()) await compare(operation, { callers, toOurs, toBare, contestants })
  }
}
await startWithManyModels()
await validation()
if (short.length > 0) {
  console.log(`\n${short.length} limits are not met: ${short.join('; ')}`)
  process.exitCode = 1
} else console.log('\nall limits are met')

interface Operation {
  readonly name: string
  /** By number of callers. */
  readonly bars: Readonly<Record<number, number>>
  readonly status: number
  readonly ours: (at: number) => Buffer
  readonly bare: (at: number) => Buffer
}

function operations(): readonly Operation[] {
  const base = `/apis/${group}/v1/${plural}`
  const existing = (at: number) => (at * 7919) % objects
  const filter = (at: number) => `city-${(at * 31) % cities}`
  return [
    {
      name: 'get',
      bars: { 1: 0.85, 32: 0.85, 128: 1.5 },
      status: 200,
      ours: (at) => head('GET', `${base}/p-${existing(at)}`),
      bare: (at) => head('GET', `/people/p-${existing(at)}`),
    },
    {
      name: 'list 20, filter, sort',
      bars: { 1: 0.85, 32: 0.85 },
      status: 200,
      ours: (at) => head('GET', `${base}?size=20&sort=spec.age,desc&fieldSelector=spec.city=${filter(at)}`),
      bare: (at) => head('GET', `/people?city=${filter(at)}`),
    },
    {
      name: 'list, bare less total',
      bars: {},
      status: 200,
      ours: (at) => head('GET', `${base}?size=20&sort=spec.age,desc&fieldSelector=spec.city=${filter(at)}`),
      bare: (at) => head('GET', `/people?city=${filter(at)}&bare`),
    },
    {
      name: 'create',
      bars: { 1: 0.8, 32: 0.8, 128: 1.2 },
      status: 201,
      ours: () => withBody('POST', base, personOf(fresh())),
      bare: () => withBody('POST', '/people', personOf(fresh())),
    },
    {
      name: 'update',
      bars: { 1: 0.75, 32: 0.75 },
      status: 200,
      ours: (at) => withBody('PUT', `${base}/p-${existing(at)}`, personOf(existing(at), {}, another())),
      bare: (at) => withBody('PUT', `/people/${known(existing(at)).name}`, bareUpdate(existing(at))),
    },
  ]
}

function known(at: number): { name: string } {
  return { name: `q-${at}` }
}

function bareUpdate(at: number): object {
  const read = versions.get(at)
  if (!read) throw new Error(`q-${at} was not read`)
  const person = personOf(at, { uid: read.uid, version: read.version++ }, another())
  return {
    ...person,
    metadata: { ...person.metadata, name: `q-${at}` },
    spec: { ...person.spec, email: `q${at}@example.com` },
  }
}

interface Comparison {
  readonly callers: number
  readonly toOurs: Connections
  readonly toBare: Connections
  readonly contestants: readonly [number, number]
}

async function compare(operation: Operation, { callers, toOurs, toBare, contestants }: Comparison): Promise<void> {
  const figures = { ours: [] as Round[], bare: [] as Round[] }
  for (let round = 0; round <= rounds; round++) {
    const from = round * 1_000_000
    const { status } = operation
    const [oursPid, barePid] = contestants
    const shared = { status, callers, seconds }
    const ours = await sendFor({ ...shared, connections: toOurs, request: operation.ours, pid: oursPid }, from)
    const bare = await sendFor({ ...shared, connections: toBare, request: operation.bare, pid: barePid }, from)
    // The first round is a warm-up.
    if (round > 0) {
      figures.ours.push(ours)
      figures.bare.push(bare)
    }
  }
  const ratios = figures.ours.map((ours, at) => ours.perSecond / (figures.bare[at]?.perSecond ?? Number.NaN))
  const ratio = median(ratios)
  const bar = operation.bars[callers]
  if (bar !== undefined && ratio < bar) short.push(`${operation.name} at ${callers}`)
  const of = (rounds_: readonly Round[], pick: (round: Round) => number) => median(rounds_.map(pick))
  const cells = [
    String(callers),
    ratio.toFixed(2),
    spread(ratios),
    bar?.toFixed(2) ?? '',
    of(figures.ours, ({ perSecond }) => perSecond).toFixed(0),
    of(figures.bare, ({ perSecond }) => perSecond).toFixed(0),
    of(figures.ours, ({ p99 }) => p99).toFixed(1),
    of(figures.bare, ({ p99 }) => p99).toFixed(1),
    of(figures.ours, ({ cpu }) => cpu).toFixed(0),
    of(figures.bare, ({ cpu }) => cpu).toFixed(0),
  ]
  console.log(operation.name.padEnd(24) + cells.map((cell) => cell.padStart(12)).join(''))
}

/** Objects for both; each updates its own. */
async function fill(url: string): Promise<void> {
  const path = `/apis/${group}/v1/${plural}`
  for (let from = 0; from < objects; from += 100) {
    const numbers = Array.from({ length: 100 }, (_, at) => from + at)
    await Promise.all(
      numbers.flatMap((at) => [
        post(url, path, personOf(at)),
        post(url, path, twin(at)).then(({ metadata }) => versions.set(at, { uid: metadata.uid, version: 0 })),
      ]),
    )
  }
}

/** Vacuums and analyzes, as in a database that has run for a while. */
async function settle(): Promise<void> {
  const client = new Client(database.url)
  await client.connect()
  await client.query('VACUUM ANALYZE')
  await client.end()
}

function twin(at: number): object {
  const person = personOf(at)
  return { metadata: { ...person.metadata, name: `q-${at}` }, spec: { ...person.spec, email: `q${at}@example.com` } }
}

async function startBare(databaseUrl: string) {
  const file = join(import.meta.dirname, 'http/bare-server.ts')
  const child = spawn(process.execPath, ['--conditions=@pergola/source', file, databaseUrl, plural], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = await Promise.race([
    once(child.stdout, 'data').then(([chunk]) => String(chunk)),
    once(child, 'close').then(() => 'nothing'),
  ])
  const [, url] = /api (\S+)/.exec(printed) ?? []
  if (url === undefined) throw new Error(`the bare server said ${printed}`)
  return {
    url,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** Duration of a start with 500 models, and of declaring one more. */
async function startWithManyModels(): Promise<void> {
  const models = 500
  {
    await using filling = startPergola({ env })
    const url = await filling.url()
    for (let at = manyModels; at < models; at++) await register(url, modelOf(`things${at}`, `Thing${at}`))
  }
  const began = performance.now()
  await using ours = startPergola({ env })
  const url = await ours.url()
  const startMs = performance.now() - began
  const sent = performance.now()
  await register(url, modelOf('lateones', 'LateOne'))
  const registerMs = performance.now() - sent
  if (startMs > 3_000) short.push('start')
  if (registerMs > 300) short.push('registering one more')
  console.log(
    `\nstart with ${models} models ${startMs.toFixed(0)} ms (3000 allowed); one more ${registerMs.toFixed(0)} ms (300 allowed)`,
  )
}

async function validation(): Promise<void> {
  const { spec } = modelOf(plural, 'Person') as {
    spec: { versions: [{ schema: Parameters<typeof compileObjectSchema>[0] }] }
  }
  const validate = await createValidate(async (thoroughness) =>
    compileObjectSchema(spec.versions[0].schema, thoroughness),
  )
  const people = Array.from({ length: 1_000 }, (_, at) => personOf(at))
  for (let warm = 0; warm < 20; warm++) for (const person of people) await validate(person)
  const began = performance.now()
  for (let round = 0; round < 20; round++) for (const person of people) await validate(person)
  const microseconds = ((performance.now() - began) * 1000) / (20 * people.length)
  if (microseconds > 5) short.push('validation')
  console.log(`validation of a typical object ${microseconds.toFixed(2)} µs (5 allowed)`)
}
