import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../fuzz/random.ts'
import { createDatabase, startPostgres, type PostgresServer } from '@pergola/test-servers'
import { openPostgresStore } from '../../../packages/server/src/store/postgres/postgres-store.ts'
import { seedAdministrator } from '../../end-to-end/seed-administrator.ts'
import { readCommittedLog, type CommittedLog } from './committed-log.ts'
import { makeLogRoom, type LogRoom } from './log-room.ts'
import { startNatsPart, untilByNats, type NatsPart, type Transport } from './nats-part.ts'
import { startReplica, type Replica } from './replica.ts'
import { ask } from './ask.ts'
import { collection, modelBody } from './things.ts'

const replicaCount = 3

/** Three replicas on one database; every connection goes through a proxy of the test. */
export interface Cluster extends AsyncDisposable {
  readonly server: PostgresServer
  readonly databaseUrl: string
  readonly replicas: readonly Replica[]
  readonly log: CommittedLog
  readonly room: LogRoom
  readonly token: string
  /** NATS servers, if they are used. */
  readonly nats: NatsPart | undefined
  /** Opens all links and resumes all processes; resolves when all replicas serve with their transport. */
  heal(): Promise<void>
}

/** The replicas as clients see them. */
export type Served = Pick<Cluster, 'replicas' | 'token'>

export async function startCluster(transport: Transport = 'postgres'): Promise<Cluster> {
  await using running = new AsyncDisposableStack()
  const server = running.use(await startPostgres('18', { durable: true }))
  const { url } = running.use(await createDatabase(server.url))
  const token = 'pgs_history-history-history-history'
  await prepareDatabase(url)
  const room = running.use(await makeLogRoom(url))
  await seedAdministrator(url, token)
  const log = running.use(await readCommittedLog(url))
  const nats = transport === 'postgres' ? undefined : running.use(await startNatsPart())
  const replicas = await Promise.all(
    Array.from({ length: replicaCount }, async (_, at) => {
      const env = transport === 'mixed' && at === 0 ? {} : await nats?.connect(at)
      return startReplica({ at, databaseUrl: url, ...(env && { env }) })
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
  return {
    server,
    databaseUrl: url,
    replicas,
    log,
    room,
    token,
    nats,
    heal,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** Chooses like a load balancer: rarely a replica that is down. */
export function anyReplica({ replicas }: Served, random: Random): Replica {
  const up = replicas.filter((replica) => replica.isUp())
  return random.pick(up.length > 0 && random.chance(0.95) ? up : replicas)
}

async function prepareDatabase(url: string): Promise<void> {
  await using _store = await openPostgresStore({ url, partitions: { smallest: 64 }, onConnectionLost: () => {} })
}

const servingSeconds = 120

export async function untilServing(replica: Replica, token: string): Promise<void> {
  const deadline = performance.now() + servingSeconds * 1000
  for (;;) {
    await replica.untilUp()
    const answer = await ask({ url: replica.url, token, method: 'GET', path: `${collection}?size=1` })
    if (answer.status === 200) return
    if (performance.now() > deadline) {
      throw new Error(`replica ${replica.at} answers ${answer.status} ${answer.text}:\n${replica.log().slice(-2_000)}`)
    }
    await sleep(50)
  }
}

export async function declareModel(
  replicas: readonly Replica[],
  { token, body }: { readonly token: string; readonly body: object },
): Promise<void> {
  const [first] = replicas
  if (!first) throw new Error('there is no replica')
  const path = '/apis/plugin.platform.run/v1alpha1/models'
  for (;;) {
    const { status, text } = await ask({ url: first.url, token, method: 'POST', path, body })
    // Already created if the response took too long.
    if (status === 201 || status === 409) return
    if (status !== 0) throw new Error(`the model is refused: ${status} ${text}`)
  }
}
