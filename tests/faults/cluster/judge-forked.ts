import type { Lineage, Operation, Session, TakenList } from '../watch/history.ts'
import { judge, type Violations } from '../watch/judge.ts'
import { isEvent, placedFrames, startOf, told } from '../watch/sessions.ts'
import type { KnownLog } from '../watch/truth.ts'
import { acknowledged } from '../watch/validators/acknowledged.ts'
import { sidesOf, type Fork, type Side, type Sides } from './fork.ts'

export interface ForkedHistory {
  /** The final state. */
  readonly log: KnownLog
  readonly fork: Fork | undefined
  readonly operations: readonly Operation[]
  readonly lineages: readonly Lineage[]
  readonly listed: ReadonlyMap<string, TakenList>
}

export interface Verdict {
  readonly violations: Violations
  /** Acknowledged writes that are lost. */
  readonly lostWrites: number
  /** Readers that saw lost changes. */
  readonly bereft: number
  /** Streams that tried to resume from there and got 410. */
  readonly refused: number
}

/** Compares each reader with its history. A reader must not move to the other history without a 410. */
export function judgeForked({ log, fork, operations, lineages, listed }: ForkedHistory): Verdict {
  const shared = { operations, listed }
  if (!fork) {
    const violations = judge({ ...shared, log, lineages, floorAt: () => 0 })
    return { violations, lostWrites: 0, bereft: 0, refused: 0 }
  }
  const sides = sidesOf(fork, log.entries)
  const histories = lineages.map((lineage) => ({ lineage, side: sideOf(lineage, sides) }))
  const of = (...wanted: readonly LineageSide[]) =>
    histories.filter(({ side }) => wanted.includes(side)).map(({ lineage }) => lineage)
  const [inLost, inKept, inBoth] = [of('lost'), of('kept', 'both'), of('mixed')]
  const lostLog = { entries: fork.lost, before: log.before }
  const either = {
    entries: [...log.entries, ...fork.lost.filter(({ number }) => number > fork.common)],
    before: log.before,
  }
  // A lost revision always gets 410; other revisions only until the replicas know of the fork.
  const isFindingOut = (at: number) => at >= fork.began && at <= fork.healed
  const judged = [
    judge({ ...shared, log: lostLog, lineages: inLost, floorAt: (at) => (at >= fork.began ? Infinity : 0) }),
    judge({ ...shared, log, lineages: inKept, floorAt: (at) => (isFindingOut(at) ? Infinity : 0) }),
  ]
  const acknowledgedOnly = operations.filter(({ outcome }) => outcome === 'done')
  const lostWrites = acknowledged(acknowledgedOnly, log).length - acknowledged(acknowledgedOnly, { ...either }).length
  const own = new Map([
    ['acknowledged', acknowledged(operations, either)],
    [
      'nothing lost',
      fork.kind === 'synchronous' && lostWrites > 0 ? [`${lostWrites} acknowledged writes are lost`] : [],
    ],
    ['told of the loss', [...inBoth.map(mixed), ...inLost.flatMap((lineage) => missingInParams(lineage, fork, sides))]],
  ])
  return {
    violations: added([...judged.map(withoutAcknowledged), own]),
    lostWrites,
    bereft: inLost.length + inBoth.length,
    refused: inLost
      .flatMap(({ sessions }) => sessions)
      .filter((session) => isFromLost(session, sides) && isTold(session)).length,
  }
}

type LineageSide = Side | 'mixed'

function sideOf(lineage: Lineage, sides: Sides): LineageSide {
  const { list, sessions } = lineage
  const seen = new Set<Side>(list ? [sides.ofPlace(list.place), ...list.items.map(sides.ofObject)] : [])
  for (const session of sessions) {
    const start = startOf(session)
    if (start) seen.add(sides.ofPlace(start))
    for (const { place } of placedFrames(session)) seen.add(sides.ofPlace(place))
    for (const frame of session.frames) if (isEvent(frame) && !frame.place) seen.add(sides.ofObject(frame.object))
  }
  seen.delete('both')
  if (seen.size > 1) return 'mixed'
  return [...seen][0] ?? 'both'
}

function mixed({ reader, selection, sessions }: Lineage): string {
  const at = sessions.map(({ replica }) => replica).join(', ')
  return `${reader} (${selection.name}) came from the lost history into the other without a word, at the replicas ${at}`
}

/** A reader that resumes from a lost revision, or is still connected at the end, must have got 410. */
function missingInParams(lineage: Lineage, fork: Fork, sides: Sides): readonly string[] {
  const silent = lineage.sessions.filter(
    (session) =>
      (session.openedAt ?? 0) > fork.healed &&
      session.end === 'hung up' &&
      isFromLost(session, sides) &&
      !isTold(session),
  )
  return [
    ...silent.map((session) => `${told(lineage, session)} is not told that its place is lost`),
    ...(lineage.settled ? [`${lineage.reader} (${lineage.selection.name}) stays in the lost history`] : []),
  ]
}

function isFromLost({ start }: Session, sides: Sides): boolean {
  return typeof start === 'object' && sides.ofPlace(start) === 'lost'
}

function isTold({ frames }: Session): boolean {
  return frames.some((frame) => frame.type === 'ERROR' && frame.status === 410)
}

function withoutAcknowledged(violations: Violations): Violations {
  return new Map([...violations].filter(([name]) => name !== 'acknowledged'))
}

function added(all: readonly Violations[]): Violations {
  const sum = new Map<string, readonly string[]>()
  for (const [name, faults] of all.flatMap((one) => [...one])) sum.set(name, [...(sum.get(name) ?? []), ...faults])
  return sum
}
