import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../fuzz/random.ts'
import { comeToRest } from '../watch/come-to-rest.ts'
import { runProbes, startReaders, type Shared } from '../watch/crowd.ts'
import type { LogEntry } from '../watch/committed-log.ts'
import type { Lineage, Operation, LogPosition } from '../watch/history.ts'
import { runProbe, type Phase } from '../watch/readers.ts'
import { selections } from '../watch/selections.ts'
import { placedFrames } from '../watch/sessions.ts'
import { fill, runWriters } from '../watch/writers.ts'
import { checkStore } from '../store/checker.ts'
import type { Fault, FaultContext } from './fault.ts'
import { sidesOf, type Fork } from './fork.ts'
import type { Installation } from './installation.ts'
import { judgeForked, type Verdict } from './judge-forked.ts'
import { untilRecovered } from './recovery.ts'
import { wrongLists } from './wrong-lists.ts'

export interface RoundOptions {
  readonly installation: Installation
  /** Faults in order. At most one of them forks the history. */
  readonly faults: readonly Fault[]
  readonly seed: number
}

export interface PassedFault {
  readonly name: string
  readonly forks: boolean
  readonly recoveryMs: number
}

export interface RoundResult {
  readonly faults: readonly PassedFault[]
  readonly operations: readonly Operation[]
  readonly lineages: readonly Lineage[]
  readonly changes: number
  /** The final log; the fork has the lost part. */
  readonly entries: readonly LogEntry[]
  readonly fork: Fork | undefined
  readonly verdict: Verdict
}

const betweenMs: readonly [number, number] = [1_000, 2_500]
/** Additional readers that resume from a lost revision. */
const bereftProbes = 24
const probeMs = 3_000

/** Runs writers, readers and one fault after the other; then waits for rest and compares the records with the log. */
export async function runRound({ installation, faults, seed }: RoundOptions): Promise<RoundResult> {
  const { log } = installation
  const random = createRandom(seed)
  // Also stops all clients when the round is aborted.
  using over = new DisposableStack()
  const [operations, lineages]: [Operation[], Lineage[]] = [[], []]
  await log.untilRead()
  log.forget()
  const phase: Phase = { now: 'busy' }
  let isWriting = true
  over.defer(() => {
    phase.now = 'over'
    isWriting = false
  })
  const writing = { random: createRandom(seed + 1), operations, prefix: `s${seed}`, stopped: () => !isWriting }
  if (log.before.size === 0) await fill({ ...writing, cluster: installation })
  const shared = { cluster: installation, random, lineages, phase }
  const readers = startReaders(shared)
  const work = [runWriters({ ...writing, cluster: installation }), runProbes(shared)]
  const passing: Passing = { passed: [], violations: [], fork: undefined }
  for (const fault of faults) {
    await sleep(random.whole(...betweenMs))
    await pass(fault, passing, { installation, random: createRandom(random.seed()), lineages })
    if (fault.forks && passing.fork) await comeBack(shared, passing.fork, installation)
  }
  await sleep(random.whole(...betweenMs))
  phase.now = 'settling'
  await installation.heal()
  isWriting = false
  await Promise.all(work)
  const listed = await comeToRest(installation, lineages)
  phase.now = 'over'
  await Promise.all(readers)
  const { fork, passed } = passing
  const judged = judgeForked({ log, fork, operations, lineages, listed })
  const own = new Map([
    ['recovered', passing.violations],
    ['lists', await wrongLists(installation)],
    ['database', await checkStore(installation.databaseUrl)],
  ])
  const verdict = { ...judged, violations: new Map([...judged.violations, ...own]) }
  const { entries } = log
  return { faults: passed, operations, lineages, changes: entries.length, entries, fork, verdict }
}

interface Passing {
  readonly passed: PassedFault[]
  readonly violations: string[]
  fork: Fork | undefined
}

async function pass(fault: Fault, passing: Passing, context: FaultContext): Promise<void> {
  const { since, afterwards } = await fault.inject(context)
  const recoveryMs = await untilRecovered(context.installation, since)
  const healed = performance.now()
  passing.passed.push({ name: fault.name, forks: fault.forks ?? false, recoveryMs })
  const { fork, violations = [] } = (await afterwards?.()) ?? {}
  passing.violations.push(...violations)
  if (fork) passing.fork = { ...fork, healed }
}

/**
 * Resumes from lost revisions: at replicas that were running during the loss, and at one that was not, after its
 * numbers have been reused.
 */
async function comeBack(shared: Shared, fork: Fork, installation: Installation): Promise<void> {
  const { log, replicas, token } = installation
  const lost = lostPlaces(shared.lineages, fork)
  if (lost.length === 0) return
  await probeAll(shared, lost)
  const end = fork.lost.at(-1)?.number ?? 0
  while ((log.entries.at(-1)?.number ?? 0) <= end) await sleep(50)
  const fresh = shared.random.pick(replicas)
  fresh.signal('SIGKILL')
  await untilRecovered(installation, performance.now())
  await probeAll({ ...shared, cluster: { replicas: [fresh], token } }, lost)
}

function lostPlaces(lineages: readonly Lineage[], fork: Fork): readonly LogPosition[] {
  const sides = sidesOf(fork, fork.kept)
  const places = lineages.flatMap(({ list, sessions }) => [
    ...(list ? [list.place] : []),
    ...sessions.flatMap(placedFrames).map(({ place }) => place),
  ])
  return places.filter((place) => sides.ofPlace(place) === 'lost')
}

async function probeAll({ random, lineages, cluster }: Shared, places: readonly LogPosition[]): Promise<void> {
  const probes = Array.from({ length: bereftProbes }, (_, at) => {
    const habits = { begin: 'list', stay: [probeMs, probeMs], rest: [0, 0] } as const
    const name = `bereft ${at + 1}`
    const own = { random: createRandom(random.seed()), name, phase: { now: 'busy' as const } }
    return runProbe({ cluster, lineages, ...own, selection: random.pick(selections), habits }, random.pick(places))
  })
  await Promise.all(probes)
}
