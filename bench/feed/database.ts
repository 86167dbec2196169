import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Part } from '../part.ts'
import { feedState, startHost, type Transport } from '../watch/host.ts'
import { writeAtRate } from '../watch/writer.ts'

const bar = 0.1
const replicas = 4
const perSecond = 1_000
/** Minimum share of the offered writes for a valid result: replicas without CPU fall back to the log. */
const enough = 0.95
const ticksPerSecond = 100
const lookMs = 1_000
/** Rarely, because a readiness check of a replica queries the database. */
const stateMs = 5_000

/**
 * Database load of a replica that follows changes: four replicas, all writes at the first. Measures the CPU of the connections
 * of replicas without the relay, for both transports. Other queries of a replica, such as revoked
 * credentials, are in both.
 */
export const database: Part = async ({ quick }) => {
  const seconds = quick ? 10 : 40
  const byLog = await measure('postgres', seconds)
  const byNats = await measure('nats', seconds)
  console.log(`\n${replicas} replicas, ${perSecond} writes/s at the first; of the database, in % of a core`)
  for (const [name, one] of [['postgres', byLog] as const, ['nats', byNats] as const]) {
    console.log(
      `  ${name.padEnd(9)} a replica that follows ${percent(one.follower)}, the one that carries the log ${percent(one.relay)}, at rest ${percent(one.rest)}, NATS ${percent(one.nats)} in all; ${one.written.toFixed(0)} writes/s came through, and ${one.readingLog} of ${one.looks} looks found a replica that read the log`,
    )
  }
  const fewest = Math.min(byLog.written, byNats.written)
  if (fewest < perSecond * enough) {
    const busy = `of ${perSecond} writes/s only ${fewest.toFixed(0)} came through: the machine has too little left for this to say anything`
    return { figure: busy, short: [busy] }
  }
  const ratio = byNats.follower / byLog.follower
  const figure = `the database uses ${(ratio * 100).toFixed(1)} % for a replica on nats of what it uses for one on postgres (bar ${bar * 100})`
  return {
    figure,
    short: ratio > bar ? [figure] : [],
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
  /** Of a core, for a replica that only follows; the mean. */
  readonly follower: number
  /** For the one that carries the log, when it is none that is written to. */
  readonly relay: number
  /** For the one that is written to. */
  readonly writer: number
  /** For one that follows, while nobody writes. */
  readonly rest: number
  /** Of the server of NATS itself. */
  readonly nats: number
  /** A second; fewer than were meant on a machine that is too small for it. */
  readonly written: number
  /** Times that a replica was looked at meanwhile, and those when NATS did not bring everything to it. */
  readonly looks: number
  readonly readingLog: number
  readonly objectBytes: number
  readonly changeBytes: number
}

async function measure(transport: Transport, seconds: number): Promise<Shares> {
  await using host = await startHost({ replicas, transport, databaseUrl: async (own, at) => named(own, at) })
  const [writer = ''] = host.addresses
  await writeAtRate({ addresses: [writer], perSecond, seconds: 5 })
  const relay = await relayAt(host.addresses)
  const during = async <T>(work: () => Promise<T>) => {
    const before = await backendSeconds(host.databaseUrl)
    const natsBefore = host.nats ? cpuOf(host.nats.pid()) : 0
    const began = performance.now()
    // Connections come and go: each is looked at as long as it is there.
    const seen = new Map(before)
    let [looks, readingLog] = [0, 0]
    const count = (state: string) => {
      looks++
      if (state.includes('read from the database')) readingLog++
    }
    const looking = setInterval(() => {
      void backendSeconds(host.databaseUrl).then((now) => now.forEach((used, key) => seen.set(key, used)))
    }, lookMs)
    const asking = setInterval(() => {
      for (const address of host.addresses.slice(1)) void feedState(address).then(count)
    }, stateMs)
    const done = await work()
    clearInterval(looking)
    clearInterval(asking)
    const elapsed = (performance.now() - began) / 1000
    for (const [key, used] of await backendSeconds(host.databaseUrl)) seen.set(key, used)
    const shares = Array.from({ length: replicas }, () => 0)
    for (const [key, used] of seen) {
      const at = Number(key.split(' ')[0])
      shares[at] = (shares[at] ?? 0) + (used - (before.get(key) ?? 0)) / elapsed
    }
    const nats = host.nats ? (cpuOf(host.nats.pid()) - natsBefore) / elapsed : 0
    return { shares, nats, looks, readingLog, done }
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
    looks: busy.looks,
    readingLog: transport === 'nats' ? busy.readingLog : busy.looks,
    ...(await sizes(host.databaseUrl)),
  }
}

/** Every replica is known to the database by a name of its own. */
function named(own: string, at: number): string {
  const url = new URL(own)
  url.searchParams.set('application_name', `replica-${at}`)
  return url.href
}

/** The number of the replica that carries the log, where one does. */
async function relayAt(addresses: readonly string[]): Promise<number | undefined> {
  for (const [at, address] of addresses.entries()) {
    if ((await feedState(address)).includes('carries the log')) return at
  }
  return undefined
}

/** CPU that each connection has used so far, in seconds, by the number of its replica and its process. */
async function backendSeconds(url: string): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ name: string; pid: number }>(
    url,
    `SELECT application_name AS name, pid FROM pg_stat_activity WHERE application_name LIKE 'replica-%'`,
  )
  return new Map(rows.map(({ name, pid }) => [`${name.split('-')[1]} ${pid}`, nanosecondsOf(pid) / 1e9]))
}

/** Exact where a tick of the clock would be too coarse. */
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

/** What an object takes with its indexes, and a change in the log. */
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
