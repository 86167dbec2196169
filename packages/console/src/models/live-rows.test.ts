import { ApiError, type ApiObject, type List } from '@pergola/client'
import { describe, expect, it } from 'vitest'
import { answers, rowsAfter, type PageRead } from './live-rows.ts'

const todos = { group: 'todo.example.com', version: 'v1', plural: 'todos' }
const users = { group: '', version: 'v1', plural: 'users' }
const all = { page: 1 }
const filtered = { page: 1, labelSelector: 'a=b' }

const object = (uid: string, version = 1) => ({ metadata: { uid, name: uid, version } }) as ApiObject
const pageOf = (...items: readonly ApiObject[]) => ({ items, total: items.length }) as unknown as List<ApiObject>
const read = (of: Partial<PageRead<ApiObject>>): PageRead<ApiObject> => ({
  type: todos,
  query: all,
  page: undefined,
  error: undefined,
  isFetched: true,
  touched: new Map(),
  own: new Set(),
  ...of,
})
const uidsOf = (rows: readonly ApiObject[] | undefined) => rows?.map(({ metadata }) => metadata.uid)
const shown = rowsAfter(undefined, read({ page: pageOf(object('a'), object('b')) }))

describe('without a response', () => {
  it.each([
    ['keeps the rows while the server cannot be reached', todos, new TypeError('fetch failed'), ['a', 'b']],
    ['keeps the rows while the server restarts', todos, new ApiError('Draining', 'stopping'), ['a', 'b']],
    ['keeps the rows while the request is in flight', todos, undefined, ['a', 'b']],
    ['drops the rows when the server rejects the query', todos, new ApiError('InvalidSelector', 'no'), undefined],
    ['drops the rows of another model', users, undefined, undefined],
  ])('%s', (_, type, error, expected) => {
    const after = rowsAfter(shown, read({ type, query: filtered, error }))
    expect(uidsOf(after?.rows)).toEqual(expected)
    expect(after && answers(after, { type, query: filtered })).toBe(expected && false)
  })
})

describe('with a response', () => {
  const touched = new Map([
    ['b', 1],
    ['c', 2],
  ])
  it.each([
    ['holds new objects back while rows are read', read({ touched }), ['a'], 1],
    ['shows every object of another query', read({ query: filtered, touched }), ['a', 'c'], 0],
    ['shows every object after too many changes', read({ touched: undefined }), ['a', 'c'], 0],
    ['shows objects that did not change, as another order brings them', read({}), ['a', 'c'], 0],
  ])('%s', (_, of, rows, fresh) => {
    const after = rowsAfter(shown, { ...of, page: pageOf(object('a', 2), object('c')) })
    expect(uidsOf(after?.rows)).toEqual(rows)
    expect(after?.fresh).toBe(fresh)
    expect(after?.rows[0]?.metadata.version).toBe(2)
  })

  it('shows own new objects at their place at once', () => {
    const changed = new Map(['mine', 'theirs'].map((uid, at) => [uid, at]))
    const page = pageOf(object('theirs'), object('a'), object('mine'), object('b'))
    const after = rowsAfter(shown, read({ touched: changed, own: new Set(['mine']), page }))
    expect(uidsOf(after?.rows)).toEqual(['a', 'mine', 'b'])
    expect(after?.fresh).toBe(1)
  })
})
