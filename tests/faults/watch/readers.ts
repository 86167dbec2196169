import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../fuzz/random.ts'
import { anyReplica, type Served } from './cluster.ts'
import { revisionOf, type Lineage, type LogPosition, type Selection, type Session, type TakenList } from './history.ts'
import { lastPlace } from './sessions.ts'
import { openStream, type Stream } from './stream.ts'
import { takeList } from './take-list.ts'
import { collection } from './things.ts'

/** Behaviour of a reader. Times are ranges in milliseconds. */
export interface Habits {
  /** How a lineage begins. */
  readonly begin: 'list' | 'initial' | 'now'
  /** Disconnects after this time. */
  readonly stay: readonly [number, number]
  /** Pause between two streams. */
  readonly rest: readonly [number, number]
  /** Stops reading repeatedly. */
  readonly slow?: boolean
}

export interface ReaderOptions {
  readonly name: string
  readonly selection: Selection
  readonly habits: Habits
  readonly cluster: Served
  readonly random: Random
  readonly lineages: Lineage[]
  readonly phase: Phase
}

/** During a round readers reconnect; at its end they stay connected until they are stopped. */
export interface Phase {
  now: 'busy' | 'settling' | 'over'
}

/** Reads one lineage after the other until it is stopped. */
export async function runReader(options: ReaderOptions): Promise<void> {
  const { phase } = options
  while (phase.now !== 'over') await readLineage(options)
}

/** Reads one stream for a while: from a list, or from any revision that a reader got. */
export async function runProbe(options: ReaderOptions, from?: LogPosition): Promise<void> {
  await readLineage(options, { once: true, ...(from && { from }) })
}

interface LineageOptions {
  readonly once?: boolean
  readonly from?: LogPosition
}

async function readLineage(options: ReaderOptions, { once = false, from }: LineageOptions = {}): Promise<void> {
  const { name, selection, habits, random, phase, lineages } = options
  let list: TakenList | undefined
  if (!from && habits.begin === 'list') {
    list = await takeList(options)
    if (!list) return sleep(100)
  }
  const lineage: Lineage = { reader: name, selection, ...(list && { list }), sessions: [], settled: false }
  lineages.push(lineage)
  let place: Session['start'] = from ?? list?.place ?? (habits.begin === 'initial' ? 'initial' : 'now')
  while (phase.now !== 'over') {
    const session = await readSession(options, lineage, place)
    const next = lastPlace(session)
    if (next) place = next
    if (isExpired(session) || !next || once) return sleep(50)
    await sleep(phase.now === 'busy' ? random.whole(...habits.rest) : 50)
  }
}

/** A stream without a revision cannot be resumed, unless it began at one. */
function isExpired({ frames }: Session): boolean {
  return frames.some((frame) => frame.type === 'ERROR' && frame.status === 410)
}

async function readSession(options: ReaderOptions, lineage: Lineage, start: Session['start']): Promise<Session> {
  const { cluster, random, selection, habits, phase } = options
  const { at: replica, url } = anyReplica(cluster, random)
  const transport = random.chance(0.5) ? 'WebSocket' : 'event stream'
  const session: Session = { replica, transport, start, frames: [], malformed: [] }
  lineage.sessions.push(session)
  // In a header, as a browser does it, or in the query.
  const known = typeof start === 'object' && transport === 'event stream' && random.chance(0.5) ? start : undefined
  const stream = openStream(session, {
    url,
    token: cluster.token,
    path: `${pathOf(selection)}?${queryOf(selection, known ? 'now' : start).toString()}`,
    ...(known && { headers: { 'last-event-id': revisionOf(known) } }),
  })
  const stay = random.whole(...habits.stay)
  const began = performance.now()
  const isTime = () => phase.now === 'over' || (phase.now === 'busy' && performance.now() - began > stay)
  let isOver = false
  const over = stream.ended.then(() => (isOver = true))
  while (!isOver && !isTime()) {
    await Promise.race([over, sleep(50)])
    if (habits.slow && phase.now === 'busy' && random.chance(0.1)) await dawdle(stream, random)
  }
  if (phase.now === 'over' && !isOver) lineage.settled = true
  if (!isOver) session.end = 'hung up'
  stream.drop()
  await over
  return session
}

async function dawdle(stream: Stream, random: Random): Promise<void> {
  stream.pause()
  await sleep(random.chance(0.3) ? random.whole(3_000, 6_000) : random.whole(100, 1_500))
  stream.resume()
}

function pathOf({ object }: Selection): string {
  return object === undefined ? collection : `${collection}/${object}`
}

function queryOf({ query }: Selection, start: Session['start']): URLSearchParams {
  const from: Record<string, string> =
    start === 'initial' ? { initial: 'true' } : start === 'now' ? {} : { revision: revisionOf(start) }
  return new URLSearchParams({ ...query, ...from })
}
