import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSqliteServer, token, type Note, type SqliteServer } from '../../../../tests/client/server.ts'
import {
  connect,
  isApiError,
  type ApiObject,
  type Connected,
  type Live,
  type ModelTypes,
  type RouteTypes,
  type Served,
  type ServedRoute,
} from '../index.ts'

interface NoteTypes extends ModelTypes {
  readonly object: Note
  readonly create: Note['spec']
  readonly status: Note['status']
  readonly fields: { readonly 'spec.text': string; readonly 'spec.rank': number }
}

let server: SqliteServer
let api: Connected
beforeAll(async () => {
  server = await startSqliteServer()
  api = connect({ url: server.url, token })
})
afterAll(() => server[Symbol.asyncDispose]())

async function newNotes() {
  const { plural } = await server.notes()
  const Notes: Served<NoteTypes> = { group: 'client.example.com', version: 'v1alpha1', plural, singular: 'note' }
  return api.client(Notes)
}

const texts = ({ items }: Pick<Live<Note>, 'items'>) => items.map(({ spec }) => spec.text)

test('a live list is sorted and follows changes', async () => {
  const notes = await newNotes()
  for (const [text, rank] of [
    ['b', 2],
    ['a', 1],
    ['none', undefined],
    ['other', 9],
  ] as const) {
    await notes.create({ text, ...(rank !== undefined && { rank }) }, { name: text })
  }
  using live = notes.live({ where: { 'spec.text': { not: 'other' } }, sort: 'spec.rank' })
  expect(live.items).toEqual([])
  await live.ready
  expect(texts(live)).toEqual(['none', 'a', 'b'])
  await notes.update('a', (note) => (note.spec.rank = 3))
  await expect.poll(() => texts(live)).toEqual(['none', 'b', 'a'])
  await notes.delete('b')
  await notes.create({ text: 'first', rank: 0 })
  await expect.poll(() => texts(live)).toEqual(['none', 'first', 'a'])
  using back = notes.live({ sort: 'spec.rank desc' })
  await back.ready
  expect(texts(back)).toEqual(['other', 'a', 'first', 'none'])
  for (const sort of ['spec.rank', 'spec.rank desc', 'spec.rank,desc', 'spec.text,asc', 'spec.text desc'] as const) {
    using ordered = notes.live({ sort })
    await ordered.ready
    expect(texts(ordered), sort).toEqual((await notes.list({ sort }).all()).map(({ spec }) => spec.text))
  }
})

test('without a sort, the newest object comes first, as in a list', async () => {
  const notes = await newNotes()
  for (const text of ['one', 'two', 'three']) await notes.create({ text })
  using live = notes.live()
  await live.ready
  expect(texts(live)).toEqual((await notes.list().all()).map(({ spec }) => spec.text))
})

test('a subscriber gets all objects once, then after every change, and nothing after it unsubscribes', async () => {
  const notes = await newNotes()
  await notes.create({ text: 'there' })
  using live = notes.live()
  const told: string[][] = []
  const end = live.subscribe((items) => told.push(texts({ items })))
  await live.ready
  await expect.poll(() => told).toEqual([['there']])
  await notes.create({ text: 'more' })
  await expect.poll(() => told.at(-1)).toEqual(['more', 'there'])
  const late: string[][] = []
  live.subscribe((items) => late.push(texts({ items })))
  await expect.poll(() => late).toEqual([['more', 'there']])
  end()
  const before = told.length
  await notes.create({ text: 'last' })
  await expect.poll(() => late.at(-1)).toEqual(['last', 'more', 'there'])
  expect(told).toHaveLength(before)
  live.close()
  expect(await live.ended).toBeUndefined()
})

test('an unknown sort field and an empty `in` are rejected at once', async () => {
  const notes = await newNotes()
  const refused = (options: object) => {
    try {
      notes.live(options).close()
    } catch (error) {
      return isApiError(error) && error.reason
    }
    return 'nothing'
  }
  expect(refused({ sort: 'words' })).toBe('BadRequest')
  expect(refused({ where: { 'spec.text': { in: [] } } })).toBe('BadRequest')
})

test('getMany returns objects in the order of the names, with undefined for missing ones', async () => {
  const notes = await newNotes()
  for (const name of ['a', 'b', 'c']) await notes.create({ text: name }, { name })
  const found = await notes.getMany(['c', 'nobody', 'a', 'c'])
  expect(found.map((note) => note?.spec.text)).toEqual(['c', undefined, 'a', 'c'])
  await expect(notes.getMany(['a', '..'])).rejects.toMatchObject({ reason: 'BadRequest' })
})

test('call sends path parameters, query and body of a route', async () => {
  const roles = '/api/v1alpha1/{plural}'
  type Types<Body, Query, Answer> = RouteTypes & {
    readonly params: { readonly plural: string }
    readonly body: Body
    readonly query: Query
    readonly answer: Answer
  }
  const make: ServedRoute<Types<object, object, ApiObject>> = { method: 'POST', path: roles }
  const list: ServedRoute<Types<undefined, { readonly size: number; readonly page?: number }, { items: unknown[] }>> = {
    method: 'GET',
    path: roles,
  }
  const made = await api.call(make, { plural: 'roles', body: { metadata: { name: 'called' }, rules: [] } })
  expect(made.metadata.name).toBe('called')
  expect((await api.call(list, { plural: 'roles', query: { size: 2, page: 1 } })).items).toHaveLength(2)
  await expect(api.call(list, { plural: 'roles/../roles', query: { size: 1 } })).rejects.toMatchObject({ status: 400 })
})
