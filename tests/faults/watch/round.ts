import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../fuzz/random.ts'
import type { Cluster } from './cluster.ts'
import { comeToRest } from './come-to-rest.ts'
import { runProbes, startReaders } from './crowd.ts'
import type { Lineage, Operation } from './history.ts'
import { judge, type Violations } from './judge.ts'
import type { Phase } from './readers.ts'
import { makeTrouble, newTally, type Tally } from './troubles.ts'
import { fill, runWriters, writeMuch } from './writers.ts'

const lookMs = 50

export interface RoundOptions {
  readonly cluster: Cluster
  readonly number: number
  readonly seed: number
  readonly seconds: number
  /** Number of changes to write instead of a duration. */
  readonly changes?: number
  /** Without faults; readers still reconnect. */
  readonly calm: boolean
  /** Deletes old changes while readers reconnect. */
  readonly forgets: boolean
  readonly killsDatabase: boolean
  /** Writes a burst that overflows the buffers of stopped readers. */
  readonly floods: boolean
}

export interface RoundResult {
  readonly operations: readonly Operation[]
  readonly lineages: readonly Lineage[]
  readonly changes: number
  readonly tally: Tally
  readonly violations: Violations
}

/** Runs writers, readers and faults; then waits for rest and compares the records with the log. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { cluster, number, seed, seconds, changes, calm, forgets, killsDatabase, floods } = options
  const random = createRandom(seed)
  const [operations, lineages]: [Operation[], Lineage[]] = [[], []]
  const tally = newTally(cluster)
  await cluster.log.untilRead()
  cluster.log.forget()
  const phase: Phase = { now: 'busy' }
  let isWriting = true
  const writers = { cluster, random: createRandom(seed + 1), operations, prefix: `r${number}` }
  const writing = { ...writers, stopped: () => !isWriting }
  if (cluster.log.before.size === 0) await fill(writing)
  const readers = startReaders({ cluster, random, lineages, phase })
  const work = [runWriters(writing), runProbes({ cluster, random, lineages, phase })]
  const isOver = () => phase.now !== 'busy'
  if (floods) work.push(sleep(seconds * 300).then(() => writeMuch(writing)))
  const trouble = calm
    ? Promise.resolve()
    : makeTrouble({ cluster, random: createRandom(seed + 2), tally, forgets, killsDatabase, stopped: isOver })
  if (changes === undefined) await sleep(seconds * 1000)
  else while (cluster.log.entries.length < changes) await sleep(lookMs)
  phase.now = 'settling'
  await trouble
  await cluster.heal()
  isWriting = false
  await Promise.all(work)
  const listed = await comeToRest(cluster, lineages)
  phase.now = 'over'
  await Promise.all(readers)
  const { log, room } = cluster
  const history = { log, operations, lineages, listed, floorAt: (moment: number) => room.floorAt(moment) }
  return { operations, lineages, changes: log.entries.length, tally, violations: judge(history) }
}
