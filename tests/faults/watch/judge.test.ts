import { expect, test } from 'vitest'
import type { LogEntry, LoggedChange } from './committed-log.ts'
import type { EventType, Frame, Lineage, Operation, LogPosition, SeenObject, Session } from './history.ts'
import { judge, type History } from './judge.ts'
import { teamLabel } from './things.ts'

/** A small log: `a` begins in the team and leaves it at 5, `b` joins it at 4 and is deleted at 7, `c` comes at 8. */
const log: readonly LogEntry[] = [
  entry(1, change('added', 'a', 0, 'team')),
  entry(2, change('modified', 'a', 1, 'team')),
  entry(3, change('added', 'b', 0)),
  entry(4, change('modified', 'b', 1, 'team')),
  entry(5, change('modified', 'a', 2)),
  entry(6),
  entry(7, change('deleted', 'b', 2, 'team')),
  entry(8, change('added', 'c', 0, 'team')),
]

function entry(number: number, logged?: LoggedChange): LogEntry {
  return { number, tag: tagOf(number), id: `id-${number}`, ...(logged && { change: logged }) }
}

function change(op: LoggedChange['op'], name: string, version: number, team?: string): LoggedChange {
  const object: SeenObject = {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: {
      name,
      uid: `uid-${name}`,
      version,
      generation: 1,
      creationTimestamp: '2030-01-01T00:00:00.000Z',
      ...(op === 'deleted' && { deletionTimestamp: '2030-01-01T00:00:01.000Z' }),
      ...(team !== undefined && { labels: { [teamLabel]: team } }),
    },
    spec: { mark: `${name}-${version}` },
  }
  return { op, uid: `uid-${name}`, version, object }
}

function tagOf(number: number): string {
  return String(Math.ceil(number / 3))
}

function place(number: number, ...skipped: readonly string[]): LogPosition {
  return { number, tag: tagOf(number), skipped }
}

function objectAt(number: number): SeenObject {
  return log[number - 1]?.change?.object ?? expect.fail(`nothing of ours is at ${number}`)
}

const types: Readonly<Record<number, EventType>> = { 2: 'MODIFIED', 5: 'DELETED', 7: 'DELETED' }

function event(number: number, changed: Partial<Frame> = {}): Frame {
  const type = types[number] ?? 'ADDED'
  return { type, at: number * 10, place: place(number), object: objectAt(number), ...changed } as Frame
}

const bookmark = (number: number, tag = tagOf(number)): Frame => ({
  type: 'BOOKMARK',
  at: number * 10,
  place: { ...place(number), tag },
})

function present(number: number, type: EventType = 'ADDED'): Frame {
  return { type, at: 1, object: objectAt(number) }
}

function session(start: Session['start'], ...frames: readonly Frame[]): Session {
  return { replica: 0, transport: 'WebSocket', start, openedAt: 0, frames: [...frames], malformed: [] }
}

function listed(at: LogPosition, ...numbers: readonly number[]): Pick<Lineage, 'list'> {
  return { list: { place: at, items: numbers.map(objectAt), replica: 0 } }
}

function lineage(sessions: readonly Session[], parts: Partial<Lineage> = {}): Lineage {
  const selection = {
    name: 'team',
    query: {},
    selects: ({ metadata }: SeenObject) => metadata.labels?.[teamLabel] === 'team',
  }
  return { reader: 'reader', selection, sessions: [...sessions], settled: true, ...parts }
}

const operation = (mark: string, parts: Partial<Operation> = {}): Operation => ({
  verb: 'update',
  name: 'x',
  mark,
  began: 1,
  ended: 2,
  outcome: 'done',
  ...parts,
})

/** The names of the validators that report faults. */
function red(one: Lineage, parts: Partial<History> = {}): readonly string[] {
  const history: History = {
    log: { entries: log, before: new Map() },
    operations: [],
    lineages: [one],
    listed: new Map([['team', { place: place(8), items: [objectAt(8)], replica: 0 }]]),
    floorAt: () => 3,
    ...parts,
  }
  return [...judge(history)].filter(([, faults]) => faults.length > 0).map(([name]) => name)
}

const fromList = listed(place(1), 1)
const expired: Frame = { type: 'ERROR', at: 99, status: 410 }
const first = session(place(1), event(2), event(4))
const second = session(place(4), event(5), bookmark(6), event(7), event(8))

const right: readonly (readonly [string, Lineage, Partial<History>?])[] = [
  ['a list and two streams behind it', lineage([first, second], fromList)],
  [
    'a list that shows a change before it has a revision',
    lineage([session(place(1, 'id-2'), event(4), event(5), event(7), event(8))], listed(place(1, 'id-2'), 2)),
  ],
  [
    'present objects, with changes in between',
    lineage([session('initial', present(1), present(4), present(5, 'DELETED'), bookmark(6), event(7), event(8))]),
  ],
  ['a stream without a start revision', lineage([session('now', event(5), event(7), event(8))])],
  [
    'a resumed stream without a start revision',
    lineage([session('now', bookmark(6)), session(place(6), event(7), event(8))]),
    { operations: [operation('b-2')] },
  ],
  ['an empty stream without writes', lineage([session('now')])],
  [
    'a stream without a start revision, except a change that was visible before it had a revision',
    lineage([session('now', event(5, { place: place(5, 'id-7') }), event(8))]),
    { operations: [operation('b-2', { began: -1 })] },
  ],
  [
    'a stream that broke before all present objects were sent',
    lineage([session('initial', present(1))], { settled: false }),
  ],
  ['an expired revision', lineage([session(place(2), expired)], { settled: false })],
  ['a reader that disconnected before the end', lineage([first], { ...fromList, settled: false })],
]
for (const [what, one, parts] of right) {
  test(`no validator reports ${what}`, () => {
    expect(red(one, parts)).toEqual([])
  })
}

const wrong: readonly (readonly [string, string, Lineage, Partial<History>?])[] = [
  ['ordered', 'two changes are swapped', lineage([first, session(place(4), event(7), event(5), event(8))], fromList)],
  [
    'unique',
    'a change comes twice',
    lineage([first, session(place(4), event(5), event(7), event(7), event(8))], fromList),
  ],
  [
    'unique',
    'a present object comes again',
    lineage([
      session('initial', present(1), present(1), bookmark(1), event(2), event(4), event(5), event(7), event(8)),
    ]),
  ],
  ['complete', 'a change is left out', lineage([session(place(4), event(5), event(8))], { settled: false })],
  ['complete', 'the last one never comes', lineage([session(place(4), event(5), event(7))])],
  [
    'complete',
    'the first change after the start of the stream is missing',
    lineage([session('now', event(7), event(8))]),
    { operations: [operation('a-2')] },
  ],
  [
    'complete',
    'a change after the start of the stream is declared as seen before',
    lineage([session('now', event(5, { place: place(5, 'id-7') }), event(8))]),
    { operations: [operation('b-2')] },
  ],
  [
    'complete',
    'no change arrives although there were writes',
    lineage([session('now')]),
    { operations: [operation('c-0')] },
  ],
  [
    'resumable',
    'a resumed stream skips one change',
    lineage([first, session(place(4), event(7), event(8))], { ...fromList, settled: false }),
  ],
  [
    'resumable',
    'a resumed stream repeats a change',
    lineage([first, session(place(4), event(4), event(5), event(7), event(8))], fromList),
  ],
  [
    'resumable',
    'a change that the list shows arrives again',
    lineage([session(place(1, 'id-2'), event(2), event(4), event(5), event(7), event(8))], listed(place(1, 'id-2'), 2)),
  ],
  [
    'resumable',
    'a revision declares an unseen change as seen',
    lineage(
      [
        session(place(1), event(2, { place: place(2, 'id-4') })),
        session(place(2, 'id-4'), event(5), event(7), event(8)),
      ],
      fromList,
    ),
  ],
  [
    'bookmark-true',
    'a bookmark skips a change',
    lineage([session(place(4), event(5), bookmark(7), event(8))], { settled: false }),
  ],
  [
    'bookmark-true',
    'a change arrives after a bookmark that includes it',
    lineage([session(place(4), event(5), bookmark(7), event(7), event(8))]),
  ],
  [
    'bookmark-true',
    'a revision goes backwards',
    lineage([session(place(4), event(5), event(7), event(8), bookmark(6))], { settled: false }),
  ],
  [
    'bookmark-true',
    'a bookmark is of another history',
    lineage([session(place(4), event(5), bookmark(6, '9'), event(7), event(8))]),
  ],
  [
    'bookmark-true',
    'a bookmark is after the end of the log',
    lineage([session(place(4), event(5), event(7), event(8), bookmark(9))]),
  ],
  [
    'selector-true',
    'an added object is reported as modified',
    lineage([session(place(2), event(4, { type: 'MODIFIED' }), event(5), event(7), event(8))]),
  ],
  [
    'selector-true',
    'an object outside the selection arrives',
    lineage([session(place(2), event(3), event(4), event(5), event(7), event(8))]),
  ],
  [
    'selector-true',
    'an object is not as it was stored',
    lineage([session(place(4), event(5), event(7), event(8, { object: { ...objectAt(8), spec: {} } }))]),
  ],
  [
    'selector-true',
    'an event has the revision of another',
    lineage([session(place(4), event(5), event(7), event(8, { place: { ...place(8), tag: '9' } }))]),
  ],
  [
    'initial-exact',
    'a list lacks an object',
    lineage([session(place(4), event(5), event(7), event(8))], listed(place(4), 2)),
  ],
  [
    'initial-exact',
    'a list shows a deleted object',
    lineage([session(place(8))], { ...listed(place(8), 5, 8), settled: false }),
  ],
  [
    'initial-exact',
    'a present object has an old version',
    lineage([session('initial', present(1), present(4), bookmark(4), event(5), event(7), event(8))]),
  ],
  [
    'state-true',
    'the final list of the API differs',
    lineage([first, second], fromList),
    { listed: new Map([['team', { place: place(8), items: [], replica: 0 }]]) },
  ],
  [
    'expired-rightly',
    'a kept revision is reported as expired',
    lineage([session(place(3), expired)], { settled: false }),
  ],
  ['well-formed', 'something is no frame', lineage([{ ...second, start: place(4), malformed: ['x'] }])],
  ['acknowledged', 'what was said to be done is not in the log', lineage([]), { operations: [operation('x-9')] }],
  [
    'acknowledged',
    'a rejected write is in the log',
    lineage([]),
    { operations: [operation('a-1', { outcome: 'refused' })] },
  ],
  [
    'acknowledged',
    'an acknowledged deletion is missing',
    lineage([]),
    { operations: [operation('', { verb: 'delete', uid: 'uid-a' })] },
  ],
]
for (const [validator, what, one, parts] of wrong) {
  test(`only ${validator} reports that ${what}`, () => {
    expect(red(one, parts)).toEqual([validator])
  })
}
