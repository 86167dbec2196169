import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../call/call.ts'
import { modelSpec, sqliteReplica, type Replica } from '../contract/replica.ts'
import { listObjects } from './list.ts'
import { createStreamLimits, unboundedLists } from '../query/stream-limits.ts'

const ann: Caller = { kind: 'user', name: 'ann', uid: '1', via: 'token' }
const ben: Caller = { kind: 'user', name: 'ben', uid: '2', via: 'token' }
const nobody: Caller = { kind: 'anonymous' }

describe('slots for streamed lists:', () => {
  test('a caller has a limited number of slots, and can reuse released ones', () => {
    const limits = createStreamLimits({ inAll: 8, perCaller: 2, ...unboundedLists })
    const release = limits.take(ann)
    limits.take(ann)
    expect(() => limits.take(ann)).toThrow(/you have 2 unbounded lists open already/)
    limits.take(ben)
    release()
    limits.take(ann)
    expect(() => limits.take(ann)).toThrow(/you have 2/)
  })

  test('all callers share a limit, and get Retry-After above it', () => {
    const limits = createStreamLimits({ inAll: 2, perCaller: 2, ...unboundedLists })
    limits.take(ann)
    const release = limits.take(ben)
    expect(() => limits.take(nobody)).toThrow(
      expect.objectContaining({
        reason: 'TooManyRequests',
        headers: { 'retry-after': '1' },
        message: 'this server has 2 unbounded lists open already; ask for pages by size, or wait',
      }) as Error,
    )
    release()
    limits.take(nobody)
  })

  test('releasing a slot twice releases one slot', () => {
    const limits = createStreamLimits({ inAll: 2, perCaller: 2, ...unboundedLists })
    const release = limits.take(ann)
    limits.take(ben)
    release()
    release()
    limits.take(ann)
    expect(() => limits.take(nobody)).toThrow(/this server has 2/)
  })

  test('a user named anonymous does not share the slots of anonymous callers', () => {
    const limits = createStreamLimits({ inAll: 8, perCaller: 1, ...unboundedLists })
    limits.take(nobody)
    limits.take({ kind: 'user', name: 'anonymous', uid: '3', via: 'token' })
    expect(() => limits.take(nobody)).toThrow(/you have 1/)
  })
})

describe('a list', () => {
  let replica: Replica
  const many = 620
  /** Size with which a snapshot of 16 MiB holds about 400 objects. */
  const wide = 'x'.repeat(40_000)
  beforeAll(async () => {
    replica = await sqliteReplica()
    await replica.declare(modelSpec({ a: { type: 'string' } }, { indexes: [{ name: 'spec.a' }] }))
    const empty = { kind: 'Empty', singular: 'empty', plural: 'empties' }
    await replica.declare(modelSpec({}, empty))
    const wides = { kind: 'Wide', singular: 'wide', plural: 'wides' }
    await replica.declare(modelSpec({ a: { type: 'string' } }, wides))
    for (let at = 0; at < 3; at++) await replica.of('things').create({ metadata: { name: `thing-${at}` } })
    for (let at = 0; at < many; at++)
      await replica.of('wides').create({ metadata: { name: `w-${at}` }, spec: { a: wide } })
  })
  afterAll(() => replica[Symbol.asyncDispose]())

  const envelopes: readonly (readonly [what: string, plural: string, query: string, envelope: object])[] = [
    [
      'without a size is one page',
      'things',
      '',
      { kind: 'ThingList', page: 1, size: 3, total: 3, totalPages: 1, first: true, last: true, hasNext: false },
    ],
    [
      'of nothing has no pages',
      'empties',
      '',
      { size: 0, total: 0, totalPages: 0, first: true, last: true, items: [] },
    ],
    ['of nothing by size has no pages', 'empties', 'size=5', { size: 5, total: 0, totalPages: 0, hasNext: false }],
    [
      'by size has neighbours',
      'things',
      'page=2&size=1',
      { page: 2, size: 1, total: 3, totalPages: 3, first: false, last: false, hasNext: true, hasPrevious: true },
    ],
    [
      'can have a short last page',
      'things',
      'page=2&size=2',
      { totalPages: 2, last: true, hasNext: false, hasPrevious: true },
    ],
    ['past its end is empty', 'things', 'page=9&size=2', { items: [], last: true, hasNext: false, hasPrevious: true }],
    [
      'with a size above the total is one page',
      'wides',
      'size=9000',
      { size: 9000, total: many, totalPages: 1, last: true, hasNext: false },
    ],
    [
      'of a size that is streamed has neighbours',
      'wides',
      'size=600',
      { size: 600, total: many, totalPages: 2, last: false, hasNext: true, continue: expect.any(String) as string },
    ],
  ]
  for (const [what, plural, query, envelope] of envelopes) {
    test(what, async () => {
      const { body } = await replica.of(plural).list(query)
      expect(body).toMatchObject(envelope)
      if (body['hasNext'] === false) expect(body).not.toHaveProperty('continue')
    })
  }

  for (const size of [1, 2, 501, 600, 620]) {
    test(`in pages of ${size} by continue neither repeats nor skips an object`, async () => {
      const plural = size < 500 ? 'things' : 'wides'
      const verbs = replica.of(plural)
      const names: unknown[] = []
      let pages = 0
      for (let query = `size=${size}&sort=metadata.name`; query !== '' && pages < 10; pages++) {
        const { body } = await verbs.list(query)
        names.push(...body.items.map(({ metadata }) => metadata['name']))
        query = body['continue'] === undefined ? '' : `continue=${body['continue'] as string}`
      }
      const all = (await verbs.list('sort=metadata.name')).body.items.map(({ metadata }) => metadata['name'])
      expect(names).toEqual(all)
      expect(pages).toBe(Math.ceil(all.length / size))
    })
  }

  test('releases its slot after it was read, abandoned or failed', async () => {
    const streams = createStreamLimits({ inAll: 1, perCaller: 1, ...unboundedLists })
    const { store, registry } = replica
    const ask = (query: string, plural = 'wides') =>
      registry.using({ group: 'test.example.com', version: 'v1', plural }, (model) =>
        listObjects({ store, streams }, model, { query: new URLSearchParams(query), caller: ann }),
      )
    const read = async (answer: Awaited<ReturnType<typeof ask>>, chunks: number) => {
      let met = 0
      for await (const _ of answer.body as AsyncIterable<Buffer>) if (++met === chunks) break
    }
    const first = await ask('')
    await expect(ask('')).rejects.toMatchObject({ reason: 'TooManyRequests' })
    expect((await ask('size=2')).body).toBeInstanceOf(Buffer)
    await read(first, Number.POSITIVE_INFINITY)
    await read(await ask(''), 1)
    await expect(ask('fieldSelector=nope=1')).rejects.toMatchObject({ reason: 'FieldNotIndexed' })
    await expect(ask('', 'nothing')).rejects.toMatchObject({ reason: 'ModelNotFound' })
    const unread = await ask('')
    unread.end?.()
    await read(await ask(''), 1)
  })
})
