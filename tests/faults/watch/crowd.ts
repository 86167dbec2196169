import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../../fuzz/random.ts'
import type { Lineage, LogPosition } from './history.ts'
import { runProbe, runReader, type Habits, type ReaderOptions } from './readers.ts'
import { placedFrames } from './sessions.ts'
import { selections } from './selections.ts'

const short: Habits = { begin: 'list', stay: [500, 6_000], rest: [0, 400] }
const patient: Habits = { begin: 'list', stay: [15_000, 40_000], rest: [0, 200] }
const slow: Habits = { ...patient, slow: true }
const habits: readonly Habits[] = [
  short,
  patient,
  { ...short, begin: 'initial', stay: [300, 4_000] },
  // Disconnected for longer than changes are kept, if they are deleted.
  { ...short, rest: [1_000, 7_000] },
  { ...slow, begin: 'initial' },
  { ...short, begin: 'now' },
  { ...patient, begin: 'now' },
]
export const readerCount = 24
const probeEveryMs = 600

export type Shared = Pick<ReaderOptions, 'cluster' | 'random' | 'lineages' | 'phase'>

/** Readers of every habit and selection. */
export function startReaders(shared: Shared): readonly Promise<void>[] {
  return Array.from({ length: readerCount }, (_, at) => {
    // The last readers are slow and get all objects.
    const selection = selections[at < readerCount - 2 ? at % selections.length : 0]
    const habit = at < readerCount - 2 ? habits[at % habits.length] : slow
    if (!selection || !habit) throw new Error('there is nothing to read')
    const own = createRandom(shared.random.seed())
    return runReader({ ...shared, random: own, name: `reader ${at + 1}`, selection, habits: habit })
  })
}

/** Resumes from every list, and from revisions that other readers got a while ago. */
export async function runProbes(shared: Shared): Promise<void> {
  const { random, phase, lineages } = shared
  const running: Promise<void>[] = []
  for (let count = 1; phase.now === 'busy'; count++) {
    const selection = random.pick(selections)
    const own = { random: createRandom(random.seed()), name: `probe ${count}`, phase: { now: 'busy' as const } }
    const probe = { ...shared, ...own, selection, habits: short }
    const from = random.chance(0.4) ? anyPlace(random, lineages) : undefined
    running.push(runProbe(probe, from))
    await sleep(probeEveryMs)
  }
  await Promise.all(running)
}

function anyPlace(random: Random, lineages: readonly Lineage[]): LogPosition | undefined {
  const { sessions } = random.pick(lineages)
  const frames = sessions.flatMap(placedFrames)
  return frames.length === 0 ? undefined : random.pick(frames).place
}
