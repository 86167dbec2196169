import { expect, test } from 'vitest'
import type { LogEntry, LoggedChange } from './committed-log.ts'
import type { EventType, Frame, Lineage, Operation, Place, SeenObject, Session } from './history.ts'
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

function place(number: number, ...skipped: readonly string[]): Place {
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

function listed(at: Place, ...numbers: readonly number[]): Pick<Lineage, 'list'> {
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

/** The names of the validators that find something. */
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
    'a list that shows a change before it has a place',
    lineage([session(place(1, 'id-2'), event(4), event(5), event(7), event(8))], listed(place(1, 'id-2'), 2)),
  ],
  [
    'present objects, with changes on the way',
    lineage([session('initial', present(1), present(4), present(5, 'DELETED'), bookmark(6), event(7), event(8))]),
  ],
  ['whatever comes', lineage([session('now', event(5), event(7), event(8))])],
  [
    'whatever comes, later than the first stream lasts',
    lineage([session('now', bookmark(6)), session(place(6), event(7), event(8))]),
    { operations: [operation('b-2')] },
  ],
  ['nothing yet, and nothing was asked for', lineage([session('now')])],
  [
    'whatever comes, but for a change that was there before it had a place',
    lineage([session('now', event(5, { place: place(5, 'id-7') }), event(8))]),
    { operations: [operation('b-2', { began: -1 })] },
  ],
  [
    'a stream that broke before its present objects were out',
    lineage([session('initial', present(1))], { settled: false }),
  ],
  ['a place that is gone', lineage([session(place(2), expired)], { settled: false })],
  ['a reader that had gone before the end', lineage([first], { ...fromList, settled: false })],
]
for (const [what, one, parts] of right) {
  test(`nothing is found in ${what}`, () => {
    expect(red(one, parts)).toEqual([])
  })
}

const wrong: readonly (readonly [string, string, Lineage, Partial<History>?])[] = [
  [
    'ordered',
    'two changes have changed places',
    lineage([first, session(place(4), event(7), event(5), event(8))], fromList),
  ],
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
    'the first one is left out, which was asked for after it had begun',
    lineage([session('now', event(7), event(8))]),
    { operations: [operation('a-2')] },
  ],
  [
    'complete',
    'one is said to have been before, and was asked for after it had begun',
    lineage([session('now', event(5, { place: place(5, 'id-7') }), event(8))]),
    { operations: [operation('b-2')] },
  ],
  [
    'complete',
    'nothing comes, although something was asked for',
    lineage([session('now')]),
    { operations: [operation('c-0')] },
  ],
  [
    'resumable',
    'a stream goes on one too far',
    lineage([first, session(place(4), event(7), event(8))], { ...fromList, settled: false }),
  ],
  [
    'resumable',
    'a stream begins with what was there',
    lineage([first, session(place(4), event(4), event(5), event(7), event(8))], fromList),
  ],
  [
    'resumable',
    'what the list shows comes behind it',
    lineage([session(place(1, 'id-2'), event(2), event(4), event(5), event(7), event(8))], listed(place(1, 'id-2'), 2)),
  ],
  [
    'resumable',
    'a place takes for seen what was not',
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
    'a bookmark passes over a change',
    lineage([session(place(4), event(5), bookmark(7), event(8))], { settled: false }),
  ],
  [
    'bookmark-true',
    'a change comes behind a bookmark that lies behind it',
    lineage([session(place(4), event(5), bookmark(7), event(7), event(8))]),
  ],
  [
    'bookmark-true',
    'a place goes back',
    lineage([session(place(4), event(5), event(7), event(8), bookmark(6))], { settled: false }),
  ],
  [
    'bookmark-true',
    'a bookmark is of another history',
    lineage([session(place(4), event(5), bookmark(6, '9'), event(7), event(8))]),
  ],
  [
    'bookmark-true',
    'a bookmark lies behind the end',
    lineage([session(place(4), event(5), event(7), event(8), bookmark(9))]),
  ],
  [
    'selector-true',
    'an object that comes is said to change',
    lineage([session(place(2), event(4, { type: 'MODIFIED' }), event(5), event(7), event(8))]),
  ],
  [
    'selector-true',
    'what is not selected comes',
    lineage([session(place(2), event(3), event(4), event(5), event(7), event(8))]),
  ],
  [
    'selector-true',
    'an object is not as it was stored',
    lineage([session(place(4), event(5), event(7), event(8, { object: { ...objectAt(8), spec: {} } }))]),
  ],
  [
    'selector-true',
    'an event has the place of another',
    lineage([session(place(4), event(5), event(7), event(8, { place: { ...place(8), tag: '9' } }))]),
  ],
  [
    'initial-exact',
    'a list lacks an object',
    lineage([session(place(4), event(5), event(7), event(8))], listed(place(4), 2)),
  ],
  [
    'initial-exact',
    'a list shows an object that has gone',
    lineage([session(place(8))], { ...listed(place(8), 5, 8), settled: false }),
  ],
  [
    'initial-exact',
    'a present object has an old version',
    lineage([session('initial', present(1), present(4), bookmark(4), event(5), event(7), event(8))]),
  ],
  [
    'state-true',
    'the API lists something else in the end',
    lineage([first, second], fromList),
    { listed: new Map([['team', { place: place(8), items: [], replica: 0 }]]) },
  ],
  [
    'expired-rightly',
    'a place is said to be gone that is there',
    lineage([session(place(3), expired)], { settled: false }),
  ],
  ['well-formed', 'something is no frame', lineage([{ ...second, start: place(4), malformed: ['x'] }])],
  ['acknowledged', 'what was said to be done is not in the log', lineage([]), { operations: [operation('x-9')] }],
  [
    'acknowledged',
    'what was refused is in the log',
    lineage([]),
    { operations: [operation('a-1', { outcome: 'refused' })] },
  ],
  [
    'acknowledged',
    'a deletion was said to be done',
    lineage([]),
    { operations: [operation('', { verb: 'delete', uid: 'uid-a' })] },
  ],
]
for (const [validator, what, one, parts] of wrong) {
  test(`${validator} alone sees that ${what}`, () => {
    expect(red(one, parts)).toEqual([validator])
  })
}
