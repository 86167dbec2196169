import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../fuzz/random.ts'
import type { Cluster } from './cluster.ts'
import { relayOf, type NatsPart } from './nats-part.ts'
import type { Replica } from './replica.ts'

/** Faults of the NATS transport. */
export const natsTroubleNames = [
  'relay killed',
  'relay stopped',
  'NATS server killed',
  'NATS killed',
  'NATS wiped',
  'NATS link cut',
  'NATS link held up',
] as const
export type NatsTroubleName = (typeof natsTroubleNames)[number]

/** Longer than the lease of the relay, so that another replica takes over. */
const stoppedMs: readonly [number, number] = [5_500, 8_000]

export interface NatsTroubleOptions {
  readonly cluster: Cluster
  readonly nats: NatsPart
  readonly random: Random
  readonly troubled: Set<Replica>
  readonly onTrouble: (name: NatsTroubleName) => void
}

/** Causes one of these faults. */
export async function troubleNats({ cluster, nats, random, troubled, onTrouble }: NatsTroubleOptions): Promise<void> {
  const withRelay = async (name: NatsTroubleName, make: (replica: Replica) => Promise<void>) => {
    const relay = await relayOf(cluster.replicas, cluster.token)
    if (!relay || troubled.has(relay)) return
    troubled.add(relay)
    onTrouble(name)
    await make(relay)
    troubled.delete(relay)
  }
  const away = async (name: NatsTroubleName, servers: NatsPart['servers'], wiped = false) => {
    if (servers.some((server) => nats.down.has(server))) return
    for (const server of servers) nats.down.add(server)
    onTrouble(name)
    await Promise.all(servers.map((server) => server.kill()))
    await sleep(random.whole(0, 3_000))
    await Promise.all(servers.map((server) => server.restart({ wiped })))
    for (const server of servers) nats.down.delete(server)
  }
  const onLinks = async (name: NatsTroubleName, isHeld: boolean) => {
    const links = nats.links(random.pick(cluster.replicas).at)
    if (links.length === 0) return
    onTrouble(name)
    if (!isHeld) return links.forEach((link) => link.cut())
    for (const link of links) link.hold()
    await sleep(random.whole(500, 6_000))
    for (const link of links) link.release()
  }
  const one = random.pick(natsTroubleNames)
  if (one === 'relay killed') return withRelay(one, async (relay) => relay.signal('SIGKILL'))
  if (one === 'relay stopped') {
    return withRelay(one, async (relay) => {
      relay.signal('SIGSTOP')
      await sleep(random.whole(...stoppedMs))
      relay.signal('SIGCONT')
    })
  }
  if (one === 'NATS server killed') return away(one, [random.pick(nats.servers)])
  if (one === 'NATS killed') return away(one, nats.servers)
  if (one === 'NATS wiped') return away(one, nats.servers, true)
  return onLinks(one, one === 'NATS link held up')
}
