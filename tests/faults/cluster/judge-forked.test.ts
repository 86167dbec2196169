import { expect, test } from 'vitest'
import type { LogEntry } from '../watch/committed-log.ts'
import type { Frame, Lineage, Operation, LogPosition, SeenObject, Session } from '../watch/history.ts'
import type { ForkKind } from './fork.ts'
import { judgeForked } from './judge-forked.ts'

/** Both histories have 1 and 2; the lost one ends at 4, the other at 5. The id 3 is a different change in each. */
const common = [entry(1, 'both', 'a'), entry(2, 'both', 'b')]
const lost = [...common, entry(3, 'lost', 'c'), { ...entry(4, 'lost', 'd'), id: 'id-lost' }]
const kept = [...common, entry(3, 'kept', 'e'), entry(4, 'kept', 'f'), entry(5, 'kept', 'g')]

function entry(number: number, tag: string, name: string): LogEntry {
  const object: SeenObject = {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, uid: name, version: 1, generation: 1, creationTimestamp: '2030-01-01T00:00:00.000Z' },
    spec: { mark: `mark-${name}` },
  }
  return { number, tag, id: `id-${number}`, change: { op: 'added', uid: name, version: 1, object } }
}

function event({ number, tag, change }: LogEntry): Frame {
  const object = change?.object ?? expect.fail('there is no object')
  return { type: 'ADDED', at: number, place: { number, tag, skipped: [] }, object }
}

const expired: Frame = { type: 'ERROR', at: 200, status: 410 }

function session(start: Session['start'], frames: readonly Frame[], more: Partial<Session> = {}): Session {
  return { replica: 0, transport: 'WebSocket', start, openedAt: 1, frames: [...frames], malformed: [], ...more }
}

const place = (number: number, tag: string, ...skipped: readonly string[]): LogPosition => ({ number, tag, skipped })
const begin = place(2, 'both')

function lineage(sessions: readonly Session[], settled = false): Lineage {
  const selection = { name: 'everything', query: {}, selects: () => true }
  return { reader: 'reader', selection, sessions: [...sessions], settled }
}

function judged(lineages: readonly Lineage[], operations: readonly Operation[] = [], kind: ForkKind = 'asynchronous') {
  const fork = { kind, lost, kept, common: 2, began: 100, healed: 300 }
  const listed = new Map()
  return judgeForked({ log: { entries: kept, before: new Map() }, fork, operations, lineages, listed })
}

/** The names of the validators that report faults. */
function red(...lineages: readonly Lineage[]): readonly string[] {
  return [...judged(lineages).violations].filter(([, faults]) => faults.length > 0).map(([name]) => name)
}

test('a reader that stays in the lost history until it is told passes, and so does one that never saw it', () => {
  const bereft = lineage([session(begin, [...lost.slice(2).map(event), expired])])
  const spared = lineage([session(begin, kept.slice(2).map(event))], true)
  expect(red(bereft, spared)).toEqual([])
  expect(judged([bereft, spared]).bereft).toBe(1)
})

test('a reader that moves from the lost history into the other without a 410 is reported, in one stream or in two', () => {
  const [seen, other] = [lost.slice(2, 3).map(event), kept.slice(3).map(event)]
  expect(red(lineage([session(begin, [...seen, ...other])]))).toEqual(['told of the loss'])
  expect(red(lineage([session(begin, seen), session(place(3, 'lost'), other)]))).toEqual(['told of the loss'])
})

test('a reader that saw an unsequenced change is in the lost history if the change is', () => {
  const after = kept.slice(3).map(event)
  expect(red(lineage([session(place(2, 'both', 'id-lost'), after)]))).toEqual(['told of the loss'])
  const ahead = place(2, 'both', 'id-3')
  const list = (...entries: readonly LogEntry[]) => ({
    list: { place: ahead, replica: 0, items: entries.flatMap(({ change }) => change?.object ?? []) },
  })
  expect(red({ ...lineage([session(ahead, after)]), ...list(...lost.slice(0, 3)) })).toEqual(['told of the loss'])
  expect(red({ ...lineage([session(ahead, after)]), ...list(...kept.slice(0, 3)) })).toEqual([])
})

test('a reader that resumes from a lost revision must get 410; one that is still connected at the end did not', () => {
  const late = { openedAt: 400, end: 'hung up' }
  expect(red(lineage([session(place(4, 'lost'), [], late)]))).toEqual(['told of the loss'])
  expect(red(lineage([session(place(4, 'lost'), [{ ...expired, at: 401 }], late)]))).toEqual([])
  expect(red(lineage([session(begin, lost.slice(2).map(event))], true))).toEqual(['told of the loss'])
})

test('no other reader gets 410 once the replicas know of the fork', () => {
  const told = (at: number) => lineage([session(begin, [...kept.slice(2).map(event), { ...expired, at }])])
  expect(red(told(200))).toEqual([])
  expect(red(told(301))).toEqual(['expired-rightly'])
})

test('lost writes are counted; they are faults with a synchronous follower; every write is in one of the histories', () => {
  const write = (mark: string): Operation => {
    return { verb: 'update', name: 'x', mark, began: 1, ended: 2, outcome: 'done' }
  }
  const faultsOf = (kind: ForkKind, ...marks: readonly string[]) => {
    const { violations, lostWrites } = judged([], marks.map(write), kind)
    return { lostWrites, red: [...violations].filter(([, faults]) => faults.length > 0).map(([name]) => name) }
  }
  expect(faultsOf('asynchronous', 'mark-c', 'mark-e')).toEqual({ lostWrites: 1, red: [] })
  expect(faultsOf('synchronous', 'mark-c', 'mark-e')).toEqual({ lostWrites: 1, red: ['nothing lost'] })
  expect(faultsOf('asynchronous', 'mark-z')).toEqual({ lostWrites: 0, red: ['acknowledged'] })
})
