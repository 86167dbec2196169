import type { ApiObject } from '@pergola/api'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CachedObjects, type CacheChange } from './cached-objects.ts'

interface Thing extends ApiObject {
  readonly value: number
}

function thing(name: string, uid: string, version: number, value = version): Thing {
  const metadata = { name, uid, version, generation: 1, creationTimestamp: '2030-01-01T00:00:00.000Z' }
  return { apiVersion: 'v1', kind: 'Thing', metadata, value }
}

/** A cache with the present objects, and the changes that it reported. */
function started(...present: readonly Thing[]) {
  const changes: CacheChange<Thing>[] = []
  const cached = new CachedObjects<Thing>((change) => changes.push(change))
  cached.beginSnapshot()
  for (const object of present) cached.apply({ type: 'ADDED', object })
  cached.endSnapshot()
  const words = () =>
    changes
      .splice(0)
      .map(({ type, object: { metadata } }) => `${type} ${metadata.name} ${metadata.uid}.${metadata.version}`)
  words()
  return { cached, words, changes }
}

describe('events', () => {
  test('are applied and reported', () => {
    const { cached, words } = started(thing('a', 'u1', 0))
    cached.apply({ type: 'MODIFIED', object: thing('a', 'u1', 1) })
    cached.apply({ type: 'ADDED', object: thing('b', 'u2', 0) })
    cached.apply({ type: 'DELETED', object: thing('a', 'u1', 2) })
    expect(words()).toEqual(['modified a u1.1', 'added b u2.0', 'deleted a u1.2'])
  })

  test('that are not newer than the cached object are ignored', () => {
    const { cached, words } = started(thing('a', 'u1', 3))
    for (const version of [3, 2]) {
      for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
        cached.apply({ type, object: thing('a', 'u1', version) })
      }
    }
    cached.apply({ type: 'DELETED', object: thing('a', 'u0', 9) })
    expect(words()).toEqual([])
    expect(cached.get('a')?.metadata.version).toBe(3)
  })

  test('for a new object with the same name report the deletion of the old one and the addition', () => {
    const { cached, words } = started(thing('a', 'u1', 7))
    cached.apply({ type: 'ADDED', object: thing('a', 'u2', 0) })
    expect(words()).toEqual(['deleted a u1.7', 'added a u2.0'])
  })
})

describe('a new snapshot', () => {
  test('reports the difference, with missing objects last', () => {
    const { cached, words } = started(
      thing('a', 'u1', 1),
      thing('b', 'u2', 1),
      thing('c', 'u3', 1),
      thing('d', 'u4', 1),
    )
    cached.beginSnapshot()
    cached.apply({ type: 'ADDED', object: thing('a', 'u1', 1) })
    cached.apply({ type: 'ADDED', object: thing('b', 'u2', 2) })
    cached.apply({ type: 'ADDED', object: thing('d', 'u5', 0) })
    cached.apply({ type: 'ADDED', object: thing('e', 'u6', 0) })
    expect(words()).toEqual(['modified b u2.2', 'deleted d u4.1', 'added d u5.0', 'added e u6.0'])
    cached.endSnapshot()
    expect(words()).toEqual(['deleted c u3.1'])
  })

  test('that is interrupted and begins again misses no deletion', () => {
    const { cached, words } = started(thing('a', 'u1', 1), thing('b', 'u2', 1))
    cached.beginSnapshot()
    cached.apply({ type: 'ADDED', object: thing('a', 'u1', 1) })
    cached.apply({ type: 'ADDED', object: thing('n', 'u3', 0) })
    cached.beginSnapshot()
    cached.apply({ type: 'ADDED', object: thing('b', 'u2', 1) })
    cached.endSnapshot()
    expect(words()).toEqual(['added n u3.0', 'deleted a u1.1', 'deleted n u3.0'])
  })

  test('deletes a missing object even if a deletion of another object with that name arrives', () => {
    const { cached, words } = started(thing('a', 'u1', 1))
    cached.beginSnapshot()
    cached.apply({ type: 'DELETED', object: thing('a', 'u2', 1) })
    cached.endSnapshot()
    expect(words()).toEqual(['deleted a u1.1'])
  })

  test('with older states, after a restore from a backup, reports a deletion and an addition', () => {
    const { cached, words } = started(thing('a', 'u1', 7), thing('b', 'u2', 7, 1), thing('c', 'u3', 7))
    cached.beginSnapshot()
    cached.apply({ type: 'ADDED', object: thing('a', 'u1', 5) })
    cached.apply({ type: 'ADDED', object: thing('b', 'u2', 7, 2) })
    cached.apply({ type: 'DELETED', object: thing('c', 'u3', 6) })
    cached.endSnapshot()
    expect(words()).toEqual(['deleted a u1.7', 'added a u1.5', 'deleted b u2.7', 'added b u2.7', 'deleted c u3.7'])
  })
})

type Step =
  | { readonly do: 'write'; readonly name: string; readonly how: 'put' | 'delete' | 'recreate' }
  | { readonly do: 'read'; readonly count: number }
  | { readonly do: 'restore'; readonly back: number }
  | { readonly do: 'relist'; readonly cutAfter: number; readonly between: readonly WriteStep[] }
type WriteStep = Extract<Step, { do: 'write' }>

const write: fc.Arbitrary<WriteStep> = fc.record({
  do: fc.constant('write' as const),
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  how: fc.constantFrom('put', 'put', 'put', 'delete', 'recreate'),
})
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { arbitrary: write, weight: 6 },
    { arbitrary: fc.record({ do: fc.constant('read' as const), count: fc.nat(6) }), weight: 3 },
    {
      arbitrary: fc.record({
        do: fc.constant('relist' as const),
        cutAfter: fc.nat(6),
        between: fc.array(write, { maxLength: 6 }),
      }),
      weight: 2,
    },
    { arbitrary: fc.record({ do: fc.constant('restore' as const), back: fc.nat(4) }), weight: 1 },
  ),
  { maxLength: 60 },
)

interface LogEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: Thing
}

/** A minimal server: stored objects and an ordered log of changes. */
class History {
  stored = new Map<string, Thing>()
  log: LogEvent[] = []
  readonly #backups: ReadonlyMap<string, Thing>[] = []
  #count = 0

  write(step: WriteStep): void {
    this.#backups.push(new Map(this.stored))
    this.#write(step)
  }

  #write({ name, how }: WriteStep): void {
    const known = this.stored.get(name)
    const value = ++this.#count
    if (known && how !== 'put') {
      const { uid, version } = known.metadata
      this.stored.delete(name)
      this.log.push({ type: 'DELETED', object: thing(name, uid, version + 1, value) })
      if (how === 'delete') return
    }
    if (how === 'delete') return
    const isNew = !known || how === 'recreate'
    const { uid, version } = isNew ? { uid: `u${value}`, version: -1 } : known.metadata
    const object = thing(name, uid, version + 1, value)
    this.stored.set(name, object)
    this.log.push({ type: isNew ? 'ADDED' : 'MODIFIED', object })
  }

  /** Restores the state before the last `back` writes. */
  restore(back: number): void {
    this.stored = new Map(this.#backups.at(-1 - back))
    this.log = []
  }
}

/** Reads the snapshot in order of name during writes, as the server does, and then replays changes to names already read. */
function relist(
  history: History,
  cached: CachedObjects<Thing>,
  { cutAfter, between }: Extract<Step, { do: 'relist' }>,
) {
  const writes = [...between]
  const show = (limit: number) => {
    const shown: { readonly name: string; readonly at: number }[] = []
    const start = history.log.length
    for (let after = ''; shown.length < limit;) {
      const next = [...history.stored.keys()].toSorted().find((name) => name > after)
      const object = next === undefined ? undefined : history.stored.get(next)
      if (next === undefined || !object) break
      cached.apply({ type: 'ADDED', object })
      shown.push({ name: next, at: history.log.length })
      after = next
      const step = writes.shift()
      if (step) history.write(step)
    }
    return { shown, start }
  }
  cached.beginSnapshot()
  if (cutAfter > 0) {
    show(cutAfter)
    cached.beginSnapshot()
  }
  const { shown, start } = show(Number.POSITIVE_INFINITY)
  history.log.slice(start).forEach((event, at) => {
    const page = shown.find(({ name }) => name >= event.object.metadata.name) ?? { at: history.log.length }
    if (start + at >= page.at) cached.apply(event)
  })
  cached.endSnapshot()
}

test('for any sequence of events, reported changes lead to the stored state and never go back', () => {
  const property = fc.property(steps, (all) => {
    const history = new History()
    const told = new Map<string, Thing>()
    const cached = new CachedObjects<Thing>((change) => {
      const { object } = change
      const { name, uid, version } = object.metadata
      const before = told.get(name)
      if (change.type === 'added') {
        expect(before).toBeUndefined()
      } else {
        expect(change.previous).toBe(before)
        expect(before?.metadata.uid).toBe(uid)
        if (change.type === 'modified') expect(version).toBeGreaterThan(before?.metadata.version ?? version)
      }
      if (change.type === 'deleted') told.delete(name)
      else told.set(name, object)
      expect(cached.get(name)).toBe(change.type === 'deleted' ? undefined : object)
    })
    let place: number | undefined
    for (const step of [...all, { do: 'read', count: Number.MAX_SAFE_INTEGER } as const]) {
      if (step.do === 'write') history.write(step)
      else if (step.do === 'restore') {
        history.restore(step.back)
        place = undefined
      } else if (step.do === 'relist' || place === undefined) {
        relist(history, cached, step.do === 'relist' ? step : { do: 'relist', cutAfter: 0, between: [] })
        place = history.log.length
        expect(byName(cached.values())).toEqual(byName(history.stored.values()))
      } else {
        // Repeats two events, because a reconnect may deliver events again.
        for (const event of history.log.slice(Math.max(0, place - 2), place + step.count)) cached.apply(event)
        place = Math.min(history.log.length, place + step.count)
      }
      expect(byName(cached.values())).toEqual(byName(told.values()))
    }
    expect(byName(cached.values())).toEqual(byName(history.stored.values()))
  })
  fc.assert(property, { numRuns: 500 * Number(process.env['CASES'] ?? 1) })
})

function byName(objects: Iterable<Thing>): readonly Thing[] {
  return [...objects].toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
}
