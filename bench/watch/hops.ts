import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { databaseCpuSeconds, cpuSecondsOf } from '../measure/cpu.ts'
import type { Part } from '../measure/part.ts'
import { median, quantile } from '../measure/statistics.ts'
import { people, startHost, token, type Host } from './host.ts'
import { bareChannel, marker, markerDigits } from './marker.ts'
import { forkBench, heard, startReaders, type Readers } from './reader-process.ts'
import { writeAtRate } from './writer.ts'

const perSecond = 100
const watchers = 10
const goal = 2

/**
 * Where the time goes between the commit of a change and its frame, beside a relay of notifications that keeps no order. The
 * database tells when it committed a change and the pass that put it in order.
 */
export const hops: Part = async ({ quick }) => {
  const rounds = quick ? 3 : 9
  const seconds = quick ? 4 : 6
  await using host = await startHost({ replicas: 1 })
  const [replica] = host.replicas
  if (!replica) throw new Error('there is no replica')
  await using bare = await startRelay(host.databaseUrl)
  const listener = await startListener(host.databaseUrl)
  const ours: Round[] = []
  const theirs: Round[] = []
  try {
    const measure = async () => {
      ours.push(await ourRound(host, { listener, seconds }))
      theirs.push(await bareRound({ relay: bare, seconds }))
    }
    await writeAtRate({ addresses: host.addresses, perSecond: 2_000, seconds: 5 })
    await measure()
    ours.length = 0
    theirs.length = 0
    for (let round = 0; round < rounds; round++) await measure()
  } finally {
    await listener.end()
  }
  const steps = stepsOf(ours)
  for (const { step, p50, p99 } of [...steps, ...stepsOf(theirs, 'LISTEN and ws: ')]) {
    console.log(`  ${step.padEnd(44)} p50 ${p50.toFixed(1).padStart(6)} ms, p99 ${p99.toFixed(1).padStart(6)} ms`)
  }
  const ratio = median(
    ours.map(({ frame }, at) => quantile(sorted(frame), 0.5) / quantile(sorted(theirs[at]?.frame ?? []), 0.5)),
  )
  const cpu = [ours, theirs].map((some) => median(some.map((round) => round.cpu)))
  const figure = `commit to frame ${ratio.toFixed(2)}x a bare relay (goal ${goal}); a change takes ${cpu[0]?.toFixed(0)} µs of CPU, of the bare one ${cpu[1]?.toFixed(0)}`
  console.log(`${perSecond} changes/s to ${watchers} watchers: ${figure}`)
  return {
    figure,
    short: ratio > goal ? [`commit to frame ${ratio.toFixed(2)}x a bare relay`] : [],
    result: {
      section: 'commit-to-frame',
      title: 'From commit to frame',
      text: `One replica, ${perSecond} creates a second, ${watchers} watchers of all of them, beside a relay that listens to notifications of the writing transactions and reads the row. Each step begins when the one before has ended.`,
      limits:
        'A change gets its place in the order by a second transaction after its own, and is then read from the log; the relay sends what the notification names, in any order. At this rate each change has a pass and a read of its own. Reading the log in the pass would save a round trip.',
      steps: [...steps, ...stepsOf(theirs, 'LISTEN and ws: ')],
      facts: [
        { what: 'From commit to frame, as a multiple of the relay (p50)', value: ratio, unit: 'x', goal },
        { what: 'CPU of a change, from its request to the last frame', value: cpu[0] ?? Number.NaN, unit: 'µs' },
        { what: 'CPU of a change of the relay, from its statement', value: cpu[1] ?? Number.NaN, unit: 'µs' },
      ],
    },
  }
}

interface Round {
  /** Milliseconds of each change, by step. */
  readonly steps: Readonly<Record<string, readonly number[]>>
  /** From the commit to the first frame. */
  readonly frame: readonly number[]
  /** Microseconds of a change. */
  readonly cpu: number
}

interface RoundOptions {
  readonly seconds: number
}

async function ourRound(
  { addresses, databaseUrl, replicas }: Host,
  { listener, seconds }: RoundOptions & { readonly listener: Listener },
): Promise<Round> {
  using readers = startReaders()
  await readers.open({ url: addresses[0] ?? '', token, count: watchers, path: people })
  await readers.report()
  listener.heard.length = 0
  const pids = replicas.map(({ pid }) => pid)
  const cpu = () => cpuSecondsOf(...pids) + databaseCpuSeconds()
  const before = cpu()
  const { count } = await writeAtRate({ addresses, perSecond, seconds })
  await sleep(500)
  const used = ((cpu() - before) * 1e6) / count
  const arrivals = firstArrivals(await readers.report())
  const changes = await timesOf(databaseUrl)
  const steps: Record<string, number[]> = {
    'commit to order': [],
    'order to notification': [],
    'notification to frame': [],
  }
  const frame: number[] = []
  for (const [number, at] of arrivals) {
    const times = changes.get(number)
    if (!times) continue
    const told = listener.heard.find((one) => one >= times.ordered) ?? Number.NaN
    steps['commit to order']?.push(times.ordered - times.committed)
    steps['order to notification']?.push(told - times.ordered)
    steps['notification to frame']?.push(at - told)
    frame.push(at - times.committed)
  }
  return { steps, frame, cpu: used }
}

async function bareRound({ relay, seconds }: RoundOptions & { readonly relay: Relay }): Promise<Round> {
  using readers = startReaders()
  await readers.open({ url: `http://127.0.0.1:${relay.port}`, token, count: watchers, path: '/' })
  await readers.report()
  const cpu = () => cpuSecondsOf(relay.pid) + databaseCpuSeconds()
  const before = cpu()
  const from = relay.written
  const all = perSecond * seconds
  const began = performance.now()
  for (let sent = 0; sent < all; sent++) {
    await sleep(Math.max(0, began + (sent * 1_000) / perSecond - performance.now()))
    await relay.write()
  }
  await sleep(500)
  const used = ((cpu() - before) * 1e6) / all
  const arrivals = firstArrivals(await readers.report())
  const committed = await relay.commits(from)
  const frame = arrivals.map(([number, at]) => at - (committed.get(number) ?? Number.NaN))
  return { steps: { 'commit to frame': frame }, frame, cpu: used }
}

function firstArrivals({ arrivals }: Awaited<ReturnType<Readers['report']>>): readonly (readonly [number, number])[] {
  const first = new Map<number, number>()
  for (const [number, at] of arrivals) if (!first.has(number)) first.set(number, at)
  return [...first]
}

function stepsOf(rounds: readonly Round[], prefix = '') {
  const names = [...Object.keys(rounds[0]?.steps ?? {}), ...(prefix === '' ? ['commit to frame'] : [])]
  return names.map((name) => {
    const all = sorted(rounds.flatMap(({ steps, frame }) => steps[name] ?? frame))
    return { step: `${prefix}${name}`, p50: quantile(all, 0.5), p99: quantile(all, 0.99) }
  })
}

function sorted(values: readonly number[]): readonly number[] {
  return values.filter((one) => !Number.isNaN(one)).toSorted((a, b) => a - b)
}

/** When each numbered person was committed and put in order, in milliseconds since 1970. */
async function timesOf(url: string): Promise<ReadonlyMap<number, { committed: number; ordered: number }>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ number: number; committed: number; ordered: number }>(
      `SELECT substring(c.name from 3)::int AS number,
         (extract(epoch FROM pg_xact_commit_timestamp(c.xmin)) * 1000)::float8 AS committed,
         (extract(epoch FROM pg_xact_commit_timestamp(o.xmin)) * 1000)::float8 AS ordered
       FROM changes c JOIN change_order o USING (id) WHERE c.name ~ '^w-'`,
    )
    return new Map(rows.map(({ number, ...times }) => [number, times]))
  } finally {
    await client.end()
  }
}

type Listener = Awaited<ReturnType<typeof startListener>>

/** Hears what replicas hear, in a process that does nothing else meanwhile. */
async function startListener(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  const heardAt: number[] = []
  client.on('notification', () => heardAt.push(performance.timeOrigin + performance.now()))
  await client.query('LISTEN changes_in_order')
  return { heard: heardAt, end: () => client.end() }
}

type Relay = Awaited<ReturnType<typeof startRelay>>

async function startRelay(url: string) {
  const pool = new Pool({ connectionString: url, max: 1 })
  await pool.query('CREATE TABLE bare_changes (id bigint PRIMARY KEY, data text NOT NULL)')
  const child = forkBench('processes/bare-relay.ts', [url])
  const { port } = await heard<{ port: number }>(child)
  let written = 0
  return {
    port,
    pid: child.pid ?? 0,
    get written() {
      return written
    },
    /** Inserts a row of the size of a person, and notifies in the same transaction. */
    write: async () => {
      const id = ++written
      const data = JSON.stringify({
        type: 'ADDED',
        note: `${marker}${String(id).padStart(markerDigits, '0')}`,
        filling: 'x'.repeat(700),
      })
      const text = `WITH made AS (INSERT INTO bare_changes VALUES ($1, $2) RETURNING id) SELECT pg_notify('${bareChannel}', id::text) FROM made`
      await pool.query({ name: 'write', text, values: [id, data] })
    },
    commits: async (from: number) => {
      const { rows } = await pool.query<{ id: number; at: number }>(
        `SELECT id::int AS id, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at FROM bare_changes WHERE id > $1`,
        [from],
      )
      return new Map(rows.map(({ id, at }) => [id, at]))
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await pool.end()
    },
  }
}
