import { isOurs, type CommittedLog, type LogEntry, type LoggedChange } from './committed-log.ts'
import type { EventType, LogPosition, Selection } from './history.ts'

type OurEntry = LogEntry & { readonly change: LoggedChange }

/** A change that affects a selection, with its event type there. */
export interface SelectedChange extends OurEntry {
  readonly type: EventType
}

/** The events that a watcher must have received, computed from the committed log. */
export interface Truth {
  /** In the order of the log. */
  readonly selected: readonly SelectedChange[]
  /** Changes with a number greater than `after` and less than `before`. */
  readonly between: (after: number, before: number) => readonly SelectedChange[]
  /** The entry with this number; undefined if the log does not contain it. */
  entry(number: number): LogEntry | undefined
  /** The event type of an entry for the selection. */
  typeOf(number: number): EventType | undefined
  /** The change that stored this version of an object. */
  version(uid: string, version: number): LoggedChange | undefined
  /** The selected objects at a position of the log, by uid. */
  stateAt(place: LogPosition): ReadonlyMap<string, LoggedChange>
  /** The number of the last entry. */
  readonly last: number
  /** Lower bound of the change numbers that the database still stored at a time. */
  floorAt(moment: number): number
}

export type KnownLog = Pick<CommittedLog, 'entries' | 'before'>

/** Computes from the logged objects which changes enter or leave the selection. Uses no code of the server. */
export function truthOf(log: KnownLog, selection: Selection, floorAt: Truth['floorAt'] = () => 0): Truth {
  const { entries } = log
  const first = entries[0]?.number ?? 1
  const entry = (number: number) => entries[number - first]
  const versions = new Map<string, LoggedChange>()
  for (const { change } of [...log.before.values(), ...entries.filter(isOurs)])
    versions.set(`${change.uid}/${change.version}`, change)
  const selected = selectedIn(log, selection)
  const types = new Map(selected.map(({ number, type }) => [number, type]))
  return {
    selected,
    between: (after, before) => selected.slice(firstIndexAfter(selected, after), firstIndexAfter(selected, before - 1)),
    entry,
    typeOf: (number) => types.get(number),
    version: (uid, version) => versions.get(`${uid}/${version}`),
    stateAt: (place) => stateAt(log, selection, place),
    last: entries.at(-1)?.number ?? 0,
    floorAt,
  }
}

function selectedIn({ entries, before }: KnownLog, { selects }: Selection): readonly SelectedChange[] {
  const matching = new Set<string>()
  for (const { change } of before.values()) if (selects(change.object)) matching.add(change.uid)
  const selected: SelectedChange[] = []
  for (const entry of entries) {
    if (!isOurs(entry)) continue
    const { op, uid, object } = entry.change
    const wasSelected = matching.has(uid)
    const isSelected = op !== 'deleted' && selects(object)
    if (isSelected) matching.add(uid)
    else matching.delete(uid)
    if (isSelected || wasSelected)
      selected.push({ ...entry, type: isSelected ? (wasSelected ? 'MODIFIED' : 'ADDED') : 'DELETED' })
  }
  return selected
}

function firstIndexAfter(selected: readonly SelectedChange[], number: number): number {
  let [low, high] = [0, selected.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((selected[middle]?.number ?? 0) <= number) low = middle + 1
    else high = middle
  }
  return low
}

function stateAt({ entries, before }: KnownLog, { selects }: Selection, { number, skipped }: LogPosition) {
  const newest = new Map<string, LoggedChange>()
  for (const { change } of before.values()) newest.set(change.uid, change)
  for (const entry of entries) {
    if (!isOurs(entry) || (entry.number > number && !skipped.includes(entry.id))) continue
    newest.set(entry.change.uid, entry.change)
  }
  for (const [uid, { op, object }] of newest) if (op === 'deleted' || !selects(object)) newest.delete(uid)
  return newest
}
