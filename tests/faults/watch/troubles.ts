import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../fuzz/random.ts'
import type { Cluster } from './cluster.ts'
import { natsTroubleNames, troubleNats, type NatsTroubleName } from './nats-troubles.ts'
import type { Replica } from './replica.ts'

/** Faults, with the number of their occurrences. */
const troubleNames = [
  'replica killed',
  'replica stopped',
  'replica drained',
  'clients cut off',
  'clients held up',
  'database link cut',
  'database link held up',
  'database killed',
  'log forgotten',
] as const
type TroubleName = (typeof troubleNames)[number]
export type Tally = Partial<Record<TroubleName | NatsTroubleName, number>>

/** All faults of a cluster with a count of 0. */
export function newTally({ nats }: Pick<Cluster, 'nats'>): Tally {
  const names = nats ? [...troubleNames, ...natsTroubleNames] : troubleNames
  return Object.fromEntries(names.map((name) => [name, 0]))
}

function count(tally: Tally, name: keyof Tally): void {
  tally[name] = (tally[name] ?? 0) + 1
}

export interface TroubleOptions {
  readonly cluster: Cluster
  readonly random: Random
  readonly tally: Tally
  readonly stopped: () => boolean
  /** Whether old changes are deleted after a short time. */
  readonly forgets: boolean
  readonly killsDatabase: boolean
}

/** Age after which changes are deleted, so that slow readers and suspended replicas find their revision expired. */
const keepMs = 1_500
const forgetEveryMs = 500

/** Causes faults until it is stopped, and ends those it has begun. Leaves at least one process running. */
export async function makeTrouble(options: TroubleOptions): Promise<void> {
  const { stopped, random, forgets, killsDatabase } = options
  const troubled = new Set<Replica>()
  const running: Promise<void>[] = forgets ? [keepForgetting(options)] : []
  const databaseAt = killsDatabase ? random.whole(3, 8) : undefined
  for (let number = 0; !stopped(); number++) {
    const { nats } = options.cluster
    const onTrouble = (name: NatsTroubleName) => count(options.tally, name)
    if (number === databaseAt) running.push(killDatabase(options))
    else if (nats && number % 2 === 1) running.push(troubleNats({ ...options, nats, troubled, onTrouble }))
    else running.push(troubleReplica(options, troubled))
    await sleep(random.whole(500, 1_500))
  }
  await Promise.all(running)
}

async function keepForgetting({ cluster: { room }, stopped, tally }: TroubleOptions): Promise<void> {
  while (!stopped()) {
    const before = room.times
    await room.forget(keepMs)
    if (room.times > before) count(tally, 'log forgotten')
    await sleep(forgetEveryMs)
  }
}

async function killDatabase({ cluster: { server }, random, tally }: TroubleOptions): Promise<void> {
  count(tally, 'database killed')
  await server.kill()
  await sleep(random.whole(0, 500))
  await server.restart()
}

type ReplicaTrouble = (replica: Replica, random: Random) => Promise<void>

const linkTroubles: readonly (readonly [TroubleName, ReplicaTrouble])[] = [
  ['clients cut off', async ({ clients }) => clients.cut()],
  ['clients held up', ({ clients }, random) => holdUp(clients, random)],
  ['database link cut', async ({ database }) => database.cut()],
  ['database link held up', ({ database }, random) => holdUp(database, random)],
]

const replicaTroubles: readonly (readonly [TroubleName, ReplicaTrouble])[] = [
  ...linkTroubles,
  ['replica killed', async (replica) => replica.signal('SIGKILL')],
  ['replica killed', async (replica) => replica.signal('SIGKILL')],
  [
    'replica stopped',
    async (replica, random) => {
      replica.signal('SIGSTOP')
      await sleep(random.whole(200, 5_000))
      replica.signal('SIGCONT')
    },
  ],
  ['replica drained', async (replica) => replica.signal('SIGTERM')],
]

async function holdUp(link: Replica['clients'], random: Random): Promise<void> {
  link.hold()
  await sleep(random.whole(200, 4_000))
  if (random.chance(0.5)) link.cut()
  link.release()
}

async function troubleReplica({ cluster, random, tally }: TroubleOptions, troubled: Set<Replica>): Promise<void> {
  const well = cluster.replicas.filter((replica) => replica.isUp() && !troubled.has(replica))
  if (well.length === 0) return
  const replica = random.pick(well)
  // The last running process is left alone.
  const [name, make] = random.pick(well.length > 1 ? replicaTroubles : linkTroubles)
  count(tally, name)
  troubled.add(replica)
  await make(replica, random)
  troubled.delete(replica)
}
