import { isDeepStrictEqual } from 'node:util'
import { entriesBehind, isOurs, type CommittedLog, type LogEntry } from '../watch/committed-log.ts'
import type { LogPosition, SeenObject } from '../watch/history.ts'
import { query } from './installation.ts'

/** Cause of the fork. */
export type ForkKind = 'synchronous' | 'asynchronous' | 'restored'

/** A database continued from an earlier state, which forks the history into a lost one and a current one. */
export interface Fork {
  readonly kind: ForkKind
  /** The log of the round in the lost history. */
  readonly lost: readonly LogEntry[]
  /** The log of the round in the current history, as far as it was known then. */
  readonly kept: readonly LogEntry[]
  /** The last common number. */
  readonly common: number
  /** When the lost history ended. */
  readonly began: number
  /** When every replica served the current history. */
  healed: number
}

export interface Former {
  readonly kind: ForkKind
  readonly began: number
  readonly lost: readonly LogEntry[]
}

const passLimit = 1_000

/** All changes of a database after a number, including changes that were not sequenced when it ended. */
export async function wholeLog(url: string, after: number): Promise<readonly LogEntry[]> {
  await query(url, 'SELECT sequence_changes($1, 1)', [passLimit])
  return readAll(url, after)
}

/** Continues the log with the current history and returns the fork. */
export async function forkLog(log: CommittedLog, url: string, { kind, began, lost }: Former): Promise<Fork> {
  const kept = await readAll(url, log.start)
  const at = kept.findIndex(({ number, tag }, index) => lost[index]?.tag !== tag || lost[index]?.number !== number)
  const common = log.start + (at === -1 ? Math.min(kept.length, lost.length) : at)
  log.goOnWith(kept)
  return { kind, began, lost, kept, common, healed: Number.POSITIVE_INFINITY }
}

async function readAll(url: string, after: number): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = []
  for await (const entry of entriesBehind(url, after)) entries.push(entry)
  return entries
}

/** The history of a change; both before the fork. */
export type Side = 'lost' | 'kept' | 'both'

export interface Sides {
  readonly ofPlace: (place: LogPosition) => Side
  /** The history of a state that came without a revision. */
  readonly ofObject: (object: SeenObject) => Side
}

export function sidesOf({ lost, common }: Fork, kept: readonly LogEntry[]): Sides {
  const tags = new Map(lost.map(({ number, tag }) => [number, tag]))
  const [lostIds, keptIds] = [idsIn(lost), idsIn(kept)]
  const [lostStates, keptStates] = [byVersion(lost), byVersion(kept)]
  const ofId = (id: string): Side => {
    // Both histories may use the same id; the shown object then decides.
    if (lostIds.has(id) === keptIds.has(id)) return 'both'
    return lostIds.has(id) ? 'lost' : 'kept'
  }
  return {
    ofPlace: ({ number, tag, skipped }) => {
      if (number > common) return tags.get(number) === tag ? 'lost' : 'kept'
      return skipped.map(ofId).find((side) => side !== 'both') ?? 'both'
    },
    ofObject: (object) => {
      const key = `${object.metadata.uid}/${object.metadata.version}`
      const [wasLost, isKept] = [lostStates, keptStates].map((states) => isDeepStrictEqual(states.get(key), object))
      return wasLost === isKept ? 'both' : wasLost ? 'lost' : 'kept'
    },
  }
}

function idsIn(entries: readonly LogEntry[]): ReadonlySet<string> {
  return new Set(entries.map(({ id }) => id))
}

function byVersion(entries: readonly LogEntry[]): ReadonlyMap<string, SeenObject> {
  return new Map(entries.filter(isOurs).map(({ change }) => [`${change.uid}/${change.version}`, change.object]))
}
