import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Part } from '../measure/part.ts'
import { feedState, startHost, type Transport } from '../watch/host.ts'
import { writeAtRate } from '../watch/writer.ts'

const maxRatio = 0.1
const replicas = 4
const perSecond = 1_000
/** Minimum share of the offered writes for a valid result: replicas that lack CPU read the log instead. */
const minWrittenShare = 0.95
const ticksPerSecond = 100
const cpuSampleMs = 1_000
/** Longer than the interval of CPU samples, because a readiness check of a replica queries the database. */
const stateSampleMs = 5_000

/**
 * Database load of a replica that follows changes: four replicas, all writes to the first. Measures the CPU time of the database
 * connections of the replicas that are neither writer nor relay, for both transports. Both results include the other queries of
 * a replica, such as those for revoked credentials.
 */
export const database: Part = async ({ quick }) => {
  const seconds = quick ? 10 : 40
  const byLog = await measure('postgres', seconds)
  const byNats = await measure('nats', seconds)
  console.log(`\n${replicas} replicas, ${perSecond} writes/s to the first; CPU of the database in % of a core`)
  for (const [name, one] of [['postgres', byLog] as const, ['nats', byNats] as const]) {
    console.log(
      `  ${name.padEnd(9)} follower ${percent(one.follower)}, relay ${percent(one.relay)}, idle follower ${percent(one.rest)}, NATS server ${percent(one.nats)}; ${one.written.toFixed(0)} writes/s succeeded; ${one.readingLog} of ${one.samples} samples found a replica that read the log`,
    )
  }
  const fewest = Math.min(byLog.written, byNats.written)
  if (fewest < perSecond * minWrittenShare) {
    const invalid = `only ${fewest.toFixed(0)} of ${perSecond} writes/s succeeded: the machine is too busy for a valid result`
    return { figure: invalid, short: [invalid] }
  }
  const ratio = byNats.follower / byLog.follower
  const figure = `the database uses ${(ratio * 100).toFixed(1)} % for a replica on nats of what it uses for one on postgres (limit ${maxRatio * 100} %)`
  return {
    figure,
    short: ratio > maxRatio ? [figure] : [],
    measured: {
      databaseShareByLog: byLog.follower,
      databaseShareByNats: byNats.follower,
      databaseWriteMicroseconds: (byNats.writer * 1e6) / perSecond,
      natsMicroseconds: (byNats.nats * 1e6) / (perSecond * replicas),
      objectBytes: byNats.objectBytes,
      changeBytes: byNats.changeBytes,
    },
  }
}

interface Shares {
  /** Mean share of a core that the database uses for a replica that only follows changes. */
  readonly follower: number
  /** The same for the relay, which publishes the log to NATS; NaN when no replica is the relay. */
  readonly relay: number
  /** The same for the replica that receives the writes. */
  readonly writer: number
  /** The same for a follower while there are no writes. */
  readonly rest: number
  /** Share of a core that the NATS server uses. */
  readonly nats: number
  /** Writes per second; less than `perSecond` on a machine that is too slow. */
  readonly written: number
  /** Number of state samples, and of those in which the replica read changes from the database instead of NATS. */
  readonly samples: number
  readonly readingLog: number
  readonly objectBytes: number
  readonly changeBytes: number
}

async function measure(transport: Transport, seconds: number): Promise<Shares> {
  await using host = await startHost({
    replicas,
    transport,
    databaseUrl: async (own, at) => withApplicationName(own, at),
  })
  const [writer = ''] = host.addresses
  await writeAtRate({ addresses: [writer], perSecond, seconds: 5 })
  const relay = await relayAt(host.addresses)
  const during = async <T>(work: () => Promise<T>) => {
    const before = await backendSeconds(host.databaseUrl)
    const natsBefore = host.nats ? cpuOf(host.nats.pid()) : 0
    const began = performance.now()
    // Connections open and close during the measurement: keep the last sample of each.
    const lastSeconds = new Map(before)
    let [samples, readingLog] = [0, 0]
    const count = (state: string) => {
      samples++
      if (state.includes('read from the database')) readingLog++
    }
    const cpuTimer = setInterval(() => {
      void backendSeconds(host.databaseUrl).then((now) => now.forEach((used, key) => lastSeconds.set(key, used)))
    }, cpuSampleMs)
    const stateTimer = setInterval(() => {
      for (const address of host.addresses.slice(1)) void feedState(address).then(count)
    }, stateSampleMs)
    const done = await work()
    clearInterval(cpuTimer)
    clearInterval(stateTimer)
    const elapsed = (performance.now() - began) / 1000
    for (const [key, used] of await backendSeconds(host.databaseUrl)) lastSeconds.set(key, used)
    const shares = Array.from({ length: replicas }, () => 0)
    for (const [key, used] of lastSeconds) {
      const at = Number(key.split(' ')[0])
      shares[at] = (shares[at] ?? 0) + (used - (before.get(key) ?? 0)) / elapsed
    }
    const nats = host.nats ? (cpuOf(host.nats.pid()) - natsBefore) / elapsed : 0
    return { shares, nats, samples, readingLog, done }
  }
  const atRest = await during(() => sleep((seconds * 1000) / 2))
  const busy = await during(() => writeAtRate({ addresses: [writer], perSecond, seconds }))
  const follow = (shares: readonly number[]) => mean(shares.filter((_, at) => at !== 0 && at !== relay))
  return {
    follower: follow(busy.shares),
    relay: busy.shares[relay ?? -1] ?? Number.NaN,
    writer: busy.shares[0] ?? Number.NaN,
    rest: follow(atRest.shares),
    nats: busy.nats,
    written: busy.done.perSecond,
    samples: busy.samples,
    readingLog: transport === 'nats' ? busy.readingLog : busy.samples,
    ...(await sizes(host.databaseUrl)),
  }
}

/** Sets an `application_name` per replica, which identifies its connections in the database. */
function withApplicationName(own: string, at: number): string {
  const url = new URL(own)
  url.searchParams.set('application_name', `replica-${at}`)
  return url.href
}

/** Index of the relay, the replica that publishes the log to NATS; undefined without one. */
async function relayAt(addresses: readonly string[]): Promise<number | undefined> {
  for (const [at, address] of addresses.entries()) {
    if ((await feedState(address)).includes('carries the log')) return at
  }
  return undefined
}

/** CPU seconds that each database connection has used so far, by replica index and backend process id. */
async function backendSeconds(url: string): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ name: string; pid: number }>(
    url,
    `SELECT application_name AS name, pid FROM pg_stat_activity WHERE application_name LIKE 'replica-%'`,
  )
  return new Map(rows.map(({ name, pid }) => [`${name.split('-')[1]} ${pid}`, nanosecondsOf(pid) / 1e9]))
}

/** Reads the scheduler statistics, because the ticks in `/proc/<pid>/stat` are too coarse. */
function nanosecondsOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Bytes per object including its indexes, and bytes per change in the log. */
async function sizes(url: string): Promise<Pick<Shares, 'objectBytes' | 'changeBytes'>> {
  const [row] = await query<{ objects: string; object_bytes: string; changes: string; change_bytes: string }>(
    url,
    `SELECT (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c, models m
        WHERE m.plural = 'people' AND c.relkind = 'r' AND (c.relname = 'm_' || m.id OR c.relname LIKE 'm\\_' || m.id || '\\_%')) AS object_bytes,
      (SELECT count(*) FROM changes WHERE op = 'a') AS objects, (SELECT count(*) FROM changes) AS changes,
      (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relname ~ '^change(s|_order)_p') AS change_bytes`,
  )
  const per = (bytes: string | undefined, count: string | undefined) => Number(bytes) / Number(count)
  return { objectBytes: per(row?.object_bytes, row?.objects), changeBytes: per(row?.change_bytes, row?.changes) }
}

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function percent(share: number): string {
  return Number.isNaN(share) ? '-' : (share * 100).toFixed(2)
}
