import { createClient } from '@pergola/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSqliteServer, token, type SqliteServer } from '../../../../tests/client/server.ts'
import { bridgeTo, type Bridge } from '../../../../tests/client/unix-bridge.ts'
import {
  defineModel,
  t,
  withDefault,
  type Collection,
  type ModelClient,
  type ModelTypes,
  type Served,
} from '../index.ts'
import { createHostFetch } from './host-fetch.ts'
import { createModelClient } from './model-client.ts'

type TypesOf<Of> = Of extends Served<infer Types extends ModelTypes> ? Types : never

let server: SqliteServer
let bridge: Bridge
let host: ModelClient
const never = new AbortController().signal

const define = (plural: string) =>
  defineModel({
    apiVersion: 'client.example.com/v1alpha1',
    kind: 'Note',
    plural,
    singular: 'note',
    // The host does not know the default of `body`, as if it had been added after objects were stored.
    spec: t.Object({
      text: t.String(),
      rank: t.Optional(t.Integer()),
      tags: t.Optional(t.Array(t.String())),
      body: withDefault(t.String(), 'blank'),
    }),
    status: t.Object({ phase: t.Optional(t.String()) }),
    statusSubresource: true,
    indexes: ['spec.text', 'spec.rank'],
  })
type Notes = Collection<TypesOf<ReturnType<typeof define>>>

beforeAll(async () => {
  server = await startSqliteServer()
  bridge = await bridgeTo(server.url)
  const client = createClient({ url: 'http://host', token, fetch: createHostFetch(bridge.socket) })
  host = createModelClient({ client, signal: never })
})
afterAll(async () => {
  await bridge[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function newNotes(): Promise<Notes> {
  const { plural } = await server.notes()
  return host(define(plural))
}

describe('one object', () => {
  test('is created under a generated name that begins with the singular, or under a given name', async () => {
    const notes = await newNotes()
    expect((await notes.create({ text: 'a' })).metadata.name).toMatch(/^note-[a-z0-9]{8}$/)
    expect((await notes.create({ text: 'a' }, { labels: { colour: 'red' } })).metadata).toMatchObject({
      name: expect.stringMatching(/^note-/) as string,
      labels: { colour: 'red' },
    })
    expect((await notes.create({ text: 'a' }, { name: 'own' })).metadata.name).toBe('own')
    expect((await notes.create({ text: 'a' }, { generateName: 'mine-' })).metadata.name).toMatch(/^mine-/)
  })

  test('is read, replaced, patched, gets a status, and is deleted', async () => {
    const notes = await newNotes()
    const created = await notes.create({ text: 'a' }, { name: 'one' })
    const replaced = await notes.replace({ ...created, spec: { text: 'b', body: 'x' } })
    await expect(notes.replace(created)).rejects.toMatchObject({ reason: 'VersionConflict' })
    expect(await notes.patch('one', { spec: { rank: 3 } })).toMatchObject({ spec: { text: 'b', rank: 3 } })
    await expect(notes.updateStatus(replaced, { phase: 'old' })).rejects.toMatchObject({ reason: 'VersionConflict' })
    expect(await notes.updateStatus(await notes.get('one'), { phase: 'new' })).toMatchObject({
      spec: { text: 'b', rank: 3 },
      status: { phase: 'new' },
    })
    expect((await notes.delete('one')).metadata.deletionTimestamp).toBeDefined()
    await expect(notes.get('one')).rejects.toMatchObject({ reason: 'NotFound' })
  })

  test('loses no update under concurrent calls', async () => {
    const notes = await newNotes()
    await notes.create({ text: 'a', rank: 0 }, { name: 'count' })
    const add = () =>
      notes.update('count', (note) => {
        note.spec.rank = (note.spec.rank ?? 0) + 1
      })
    await Promise.all(Array.from({ length: 8 }, add))
    expect((await notes.get('count')).spec.rank).toBe(8)
  })

  test('has defaults that were declared after it was stored', async () => {
    const notes = await newNotes()
    expect((await notes.create({ text: 'a' }, { name: 'old' })).spec.body).toBe('blank')
    expect((await notes.get('old')).spec.body).toBe('blank')
    expect((await notes.list().first())?.spec.body).toBe('blank')
    let seen: string | undefined
    await notes.update('old', (note) => (seen = note.spec.body))
    expect(seen).toBe('blank')
  })
})

describe('a list', () => {
  let notes: Notes
  const rows = [
    ['a', 1],
    ['b', 2],
    ['ba', 3],
    ['c', undefined],
    ['(d),\\', 5],
  ] as const
  beforeAll(async () => {
    notes = await newNotes()
    for (const [at, [text, rank]] of rows.entries()) {
      const labels = at % 2 === 0 ? { colour: 'red', even: 'yes' } : { colour: 'blue' }
      await notes.create({ text, ...(rank !== undefined && { rank }) }, { name: `n${at}`, labels })
    }
  })
  const texts = async (options: Parameters<Notes['list']>[0]) =>
    (await notes.list(options).all()).map(({ spec }) => spec.text).toSorted()

  test.each<readonly [string, Parameters<Notes['list']>[0], readonly string[]]>([
    ['all', {}, ['(d),\\', 'a', 'b', 'ba', 'c']],
    ['a value', { where: { 'spec.text': 'b' } }, ['b']],
    ['a value with special characters', { where: { 'spec.text': '(d),\\' } }, ['(d),\\']],
    ['a value other than one', { where: { 'spec.text': { not: 'b' } } }, ['(d),\\', 'a', 'ba', 'c']],
    ['one of several values', { where: { 'spec.text': { in: ['a', 'c', 'z'] } } }, ['a', 'c']],
    ['one of no values', { where: { 'spec.text': { in: [] } } }, []],
    ['none of several values', { where: { 'spec.text': { notIn: ['a', 'c'] } } }, ['(d),\\', 'b', 'ba']],
    ['none of no values', { where: { 'spec.text': { notIn: [] } } }, ['(d),\\', 'a', 'b', 'ba', 'c']],
    ['a field that is set', { where: { 'spec.rank': { exists: true } } }, ['(d),\\', 'a', 'b', 'ba']],
    ['a field that is not set', { where: { 'spec.rank': { exists: false } } }, ['c']],
    ['between', { where: { 'spec.rank': { above: 1, atMost: 3 } } }, ['b', 'ba']],
    ['outside', { where: { 'spec.rank': { atLeast: 3, below: 5 } } }, ['ba']],
    ['a prefix', { where: { 'spec.text': { startsWith: 'b' } } }, ['b', 'ba']],
    ['a label', { labels: { colour: 'blue' } }, ['b', 'c']],
    ['a missing label', { labels: { even: { exists: false } } }, ['b', 'c']],
    ['both', { labels: { colour: { in: ['red'] } }, where: { 'spec.rank': { below: 4 } } }, ['a', 'ba']],
    [
      'alternatives',
      { where: { 'spec.text': { not: 'a' }, anyOf: [{ 'spec.rank': { below: 3 } }, { 'spec.text': '(d),\\' }] } },
      ['(d),\\', 'b'],
    ],
    [
      'an alternative that matches nothing',
      { where: { anyOf: [{ 'spec.text': { in: [] } }, { 'spec.text': 'b' }] } },
      ['b'],
    ],
    ['only such alternatives', { where: { anyOf: [{ 'spec.text': { in: [] } }] } }, []],
    ['no alternatives', { where: { anyOf: [] } }, []],
  ])('by %s', async (_, options, expected) => {
    expect(await texts(options)).toEqual(expected)
    expect(await notes.list(options).total()).toBe(expected.length)
  })

  test('is sorted', async () => {
    const names = async (sort: NonNullable<Parameters<Notes['list']>[0]>['sort']) =>
      (await notes.list({ sort: sort ?? [] }).all()).map(({ metadata }) => metadata.name)
    expect(await names('spec.rank desc')).toEqual(['n4', 'n2', 'n1', 'n0', 'n3'])
    expect(await names(['spec.rank asc'])).toEqual(['n3', 'n0', 'n1', 'n2', 'n4'])
  })

  test('gives the first object, a page, or all objects one by one', async () => {
    const sorted = notes.list({ sort: 'spec.text' })
    expect((await sorted.first())?.metadata.name).toBe('n4')
    expect(await notes.list({ where: { 'spec.text': 'z' } }).first()).toBeUndefined()
    expect(await sorted.page(2, 2)).toMatchObject({
      items: [{ metadata: { name: 'n1' } }, { metadata: { name: 'n2' } }],
      total: 5,
      hasNext: true,
    })
    for await (const { metadata } of sorted) {
      expect(metadata.name).toBe('n4')
      break
    }
  })

  test('rejects an undefined value and an empty or unknown condition', async () => {
    const where = { 'spec.text': undefined as never }
    expect(() => notes.list({ where })).toThrow('has no value')
    expect(() => notes.list({ where: { 'spec.text': {} } })).toThrow('empty condition')
    expect(() => notes.list({ where: { anyOf: [{}] } })).toThrow('has no condition')
    expect(() => notes.list({ where: { anyOf: undefined as never } })).toThrow('must be an array')
    expect(() => notes.list({ where: { 'spec.text': { like: 'b' } as never } })).toThrow('unknown condition')
  })
})

test('a watch delivers present objects and changes, and ends with its signal', async () => {
  const notes = await newNotes()
  await notes.create({ text: 'a' }, { name: 'first' })
  const ending = new AbortController()
  const told: string[] = []
  const watching = (async () => {
    for await (const event of notes.watch({ initial: true, signal: ending.signal })) {
      if (!('object' in event)) continue
      told.push(`${event.type} ${event.object.metadata.name} ${event.object.spec.body}`)
    }
  })()
  await expect.poll(() => told).toEqual(['ADDED first blank'])
  await notes.delete('first')
  await expect.poll(() => told).toEqual(['ADDED first blank', 'DELETED first blank'])
  ending.abort(new Error('enough'))
  await expect(watching).rejects.toThrow('enough')
})

test('a request to an unreachable host fails with a ConnectionError', async () => {
  const nobody = createClient({
    url: 'http://host',
    token,
    fetch: createHostFetch(`${bridge.socket}.nobody`),
    timeoutMs: 500,
  })
  const error = await nobody.call({ method: 'POST', path: '/apis', body: {} }).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ name: 'ConnectionError' })
})
