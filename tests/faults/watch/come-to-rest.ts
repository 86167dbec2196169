import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { readerCount } from './crowd.ts'
import type { Lineage, TakenList } from './history.ts'
import { selections } from './selections.ts'
import { lastPlace } from './sessions.ts'
import { listAt } from './take-list.ts'
import { truthOf } from './truth.ts'

type Settling = Pick<Cluster, 'replicas' | 'token' | 'log'>

const settleSeconds = 45
/** Time for a replica on a busy machine to prove that it is current. */
const listSeconds = 20

/** Writes without a waiting client may still complete, so this repeats until nothing changes. */
export async function comeToRest(
  cluster: Settling,
  lineages: readonly Lineage[],
): Promise<ReadonlyMap<string, TakenList>> {
  const { log } = cluster
  for (;;) {
    await log.untilRead()
    const { length } = log.entries
    await untilSettled(cluster, lineages)
    // Time for one event too many to arrive.
    await sleep(300)
    const listed = await listAll(cluster)
    await log.untilRead()
    if (log.entries.length === length) return listed
  }
}

/** Waits until the newest stream of every reader has reached the end; later events count as missing. */
async function untilSettled(cluster: Settling, lineages: readonly Lineage[]): Promise<void> {
  const deadline = performance.now() + settleSeconds * 1000
  const ends = new Map(
    selections.map((selection) => [selection.name, truthOf(cluster.log, selection).selected.at(-1)?.number ?? 0]),
  )
  const isThere = (lineage: Lineage) => {
    const session = lineage.sessions.at(-1)
    const place = session && lastPlace(session)
    const end = ends.get(lineage.selection.name) ?? 0
    return session?.openedAt !== undefined && session.end === undefined && place !== undefined && place.number >= end
  }
  for (;;) {
    const newest = new Map(lineages.filter(({ reader }) => reader.startsWith('reader')).map((one) => [one.reader, one]))
    if (newest.size === readerCount && [...newest.values()].every((one) => isThere(one) || beganLate(one))) return
    if (performance.now() > deadline) return
    await sleep(50)
  }
}

/** A watch without a start revision, now that there are no more changes. */
function beganLate({ sessions }: Lineage): boolean {
  const session = sessions.at(-1)
  return session?.start === 'now' && session.openedAt !== undefined && session.end === undefined
}

async function listAll({ replicas, token }: Settling): Promise<ReadonlyMap<string, TakenList>> {
  const lists = new Map<string, TakenList>()
  for (const [at, selection] of selections.entries()) {
    const replica = replicas[at % replicas.length]
    const asked = replica && { url: replica.url, token, selection, replica: replica.at }
    const deadline = performance.now() + listSeconds * 1000
    let list = asked && (await listAt(asked))
    while (asked && !list && performance.now() < deadline) {
      await sleep(200)
      list = await listAt(asked)
    }
    if (!list) throw new Error(`replica ${replica?.at} does not list ${selection.name} although all is well`)
    lists.set(selection.name, list)
  }
  return lists
}
