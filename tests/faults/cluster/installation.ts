import { setTimeout as sleep } from 'node:timers/promises'
import { startPgBouncer, startPostgresPair, type PgBouncer, type PostgresPair } from '@pergola/test-servers'
import { Client } from 'pg'
import { seedAdministrator } from '../../end-to-end/seed-administrator.ts'
import { declareModel, untilServing, type Served } from '../watch/cluster.ts'
import { readCommittedLog, type CommittedLog } from '../watch/committed-log.ts'
import { openLink, type Link } from '../watch/link.ts'
import { startNatsPart, untilByNats, type NatsPart } from '../watch/nats-part.ts'
import { startReplica } from '../watch/replica.ts'
import { modelBody } from '../watch/things.ts'
import { makeMovedClocks, type MovedClocks } from './moved-clock.ts'

/** Variants of the connections between replicas and database. */
export const variants = ['plain', 'pooled', 'nats'] as const
export type Variant = (typeof variants)[number]

const replicaCount = 3
const databaseName = 'pergola'

/** Three replicas, and a database with a follower behind one address. */
export interface Installation extends Served, AsyncDisposable {
  readonly variant: Variant
  readonly pair: PostgresPair
  /** URL of the primary, through the shared address. */
  readonly databaseUrl: string
  /** Direct URL. */
  readonly urlAt: (serverUrl: string) => string
  /** Points the address at the new primary. */
  readonly moveAddress: () => void
  readonly pooler: PgBouncer | undefined
  readonly nats: NatsPart | undefined
  /** Clocks of the replicas, if they can be moved. */
  readonly clocks: MovedClocks | undefined
  readonly log: CommittedLog
  /** Resolves when every replica serves. */
  heal(): Promise<void>
}

export async function startInstallation(variant: Variant): Promise<Installation> {
  await using running = new AsyncDisposableStack()
  const pair = running.use(await startPostgresPair())
  await query(pair.url, `CREATE DATABASE ${databaseName}`)
  const address = running.use(await openLink())
  const urlAt = (serverUrl: string) => Object.assign(new URL(serverUrl), { pathname: `/${databaseName}` }).href
  const moveAddress = () => pointAt(address, pair.url)
  moveAddress()
  const databaseUrl = Object.assign(new URL(urlAt(pair.url)), { port: String(address.port) }).href
  const token = 'pgs_cluster-cluster-cluster-cluster'
  await seedAdministrator(databaseUrl, token)
  await pair.waitForFollower(true)
  const log = running.use(await readCommittedLog(databaseUrl))
  const pooler = variant === 'pooled' ? running.use(await startPgBouncer(databaseUrl)) : undefined
  const nats = variant === 'nats' ? running.use(await startNatsPart()) : undefined
  const clocks = running.use(makeMovedClocks())
  const replicas = await Promise.all(
    Array.from({ length: replicaCount }, async (_, at) => {
      const env = {
        ...clocks?.environment(at),
        ...(pooler && { PERGOLA_DATABASE_NAMED_STATEMENTS: 'false' }),
        ...(await nats?.connect(at)),
      }
      return startReplica({ at, databaseUrl: pooler?.through(databaseUrl) ?? databaseUrl, env })
    }),
  )
  for (const replica of replicas) running.use(replica)
  const heal = async () => {
    for (const replica of replicas) {
      replica.signal('SIGCONT')
      replica.clients.release()
      replica.database.release()
    }
    await nats?.heal()
    await Promise.all(replicas.map((replica) => untilServing(replica, token)))
    if (nats) await untilByNats(nats, replicas, token)
  }
  await Promise.all(replicas.map((replica) => replica.untilUp()))
  await declareModel(replicas, { token, body: modelBody })
  await heal()
  const moved = running.move()
  const parts = { variant, pair, databaseUrl, urlAt, moveAddress, pooler, nats, clocks, log, replicas, token, heal }
  return { ...parts, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

function pointAt(address: Link, url: string): void {
  address.target = Number(new URL(url).port)
  address.cut()
}

/** Runs one statement on a new connection. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url, application_name: 'faults', query_timeout: 30_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text, [...values])).rows
  } finally {
    await client.end().catch(() => sleep(0))
  }
}
