import { keyOf } from '../store/model-table.ts'
import { isTerm, valuesOf, type TermTarget } from '../store/selectable.ts'
import type { Change, Clause, Term } from '../store/store.ts'
import { after, before, type Selection } from './selection.ts'

/** The watchers with the same selection. */
export interface WatcherGroup<W> {
  readonly selection: Selection
  readonly watchers: Set<W>
}

/** Finds the watchers that a change may concern without visiting the others. */
export interface WatcherIndex<W> {
  /** Returns the shared selection of all watchers that select the same. */
  add(selection: Selection, watcher: W): Selection
  remove(selection: Selection, watcher: W): void
  /** A superset: the change turns out to be irrelevant for some of them. */
  near(change: Change): readonly WatcherGroup<W>[]
}

/** The watchers of one model. A group is stored under each value that its anchors ask for, or among the unanchored. */
interface ModelWatchers<W> {
  readonly groups: Map<string, WatcherGroup<W>>
  readonly unanchored: Set<WatcherGroup<W>>
  readonly anchored: Map<string, AnchorPlace<W>>
}

interface AnchorPlace<W> {
  readonly place: TermTarget
  readonly byValue: Map<string, Set<WatcherGroup<W>>>
}

export function createWatcherIndex<W>(): WatcherIndex<W> {
  const models = new Map<string, ModelWatchers<W>>()
  return {
    add: (selection, watcher) => {
      const model = getOrAdd(models, keyOf(selection.model), emptyModel<W>)
      const group = getOrAdd(model.groups, selection.key, () => {
        const made = { selection, watchers: new Set<W>() }
        stand(model, made)
        return made
      })
      group.watchers.add(watcher)
      return group.selection
    },
    remove: (selection, watcher) => {
      const model = models.get(keyOf(selection.model))
      const group = model?.groups.get(selection.key)
      if (!model || !group) return
      group.watchers.delete(watcher)
      if (group.watchers.size > 0) return
      model.groups.delete(selection.key)
      leave(model, group)
      if (model.groups.size === 0) models.delete(keyOf(selection.model))
    },
    near: (change) => {
      const model = models.get(keyOf(change.model))
      return model ? groupsNear(model, change) : []
    },
  }
}

function emptyModel<W>(): ModelWatchers<W> {
  return { groups: new Map(), unanchored: new Set(), anchored: new Map() }
}

function groupsNear<W>({ unanchored, anchored }: ModelWatchers<W>, change: Change): readonly WatcherGroup<W>[] {
  const near = new Set<WatcherGroup<W>>()
  for (const { place, byValue } of anchored.values()) {
    // When the log does not know the index, every group must be checked.
    const isKnown = !('field' in place) || isNamed(place.field, change)
    const values = isKnown ? [...valuesOf(place, after(change)), ...valuesOf(place, before(change))] : byValue.keys()
    for (const value of values) for (const group of byValue.get(value) ?? []) near.add(group)
  }
  return [...unanchored, ...near]
}

function isNamed(field: string, { indexed, previous }: Change): boolean {
  if (field === 'metadata.name') return true
  return Object.hasOwn(indexed.forms, field) && (!previous || Object.hasOwn(previous.forms, field))
}

function stand<W>(model: ModelWatchers<W>, group: WatcherGroup<W>): void {
  const anchors = anchorsOf(group.selection.terms)
  if (!anchors) return void model.unanchored.add(group)
  for (const { place, values } of anchors) {
    const { byValue } = getOrAdd(model.anchored, JSON.stringify(place), () => ({ place, byValue: new Map() }))
    for (const value of values) getOrAdd(byValue, value, () => new Set<WatcherGroup<W>>()).add(group)
  }
}

function leave<W>(model: ModelWatchers<W>, group: WatcherGroup<W>): void {
  const anchors = anchorsOf(group.selection.terms)
  if (!anchors) return void model.unanchored.delete(group)
  for (const { place, values } of anchors) {
    const key = JSON.stringify(place)
    const byValue = model.anchored.get(key)?.byValue
    for (const value of values) {
      const groups = byValue?.get(value)
      groups?.delete(group)
      if (groups?.size === 0) byValue?.delete(value)
    }
    if (byValue?.size === 0) model.anchored.delete(key)
  }
}

interface Anchor {
  readonly place: TermTarget
  readonly values: readonly string[]
}

/** That of a term, or those of all alternatives: only changes with one of the values, before or after, can concern it. */
function anchorsOf(where: readonly Clause[]): readonly Anchor[] | undefined {
  const single = anchorOf(where.filter(isTerm))
  if (single) return [single]
  for (const clause of where) {
    const anchors = 'anyOf' in clause ? clause.anyOf.map(anchorOf) : []
    if (anchors.length > 0 && anchors.every((anchor) => anchor !== undefined)) return anchors
  }
  return undefined
}

/** A term that requires certain values. */
function anchorOf(terms: readonly Term[]): Anchor | undefined {
  for (const { is, ...place } of terms) {
    if ('field' in place && /^metadata\.(creation|deletion)Timestamp$/.test(place.field)) continue
    if (is.op === '=') return { place, values: [is.value] }
    if (is.op === 'in') return { place, values: is.values }
  }
  return undefined
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
