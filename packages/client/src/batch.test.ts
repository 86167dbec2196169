import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { startSqliteServer, type Note, type Notes, type SqliteServer } from '../../../tests/client/server.ts'
import type { Client } from './client.ts'
import type { Served } from './collection/served.ts'
import type { ResourceType } from './object-types.ts'

interface NoteTypes {
  readonly object: Note
  readonly create: Note['spec']
  readonly status: Note['status']
  readonly fields: object
}

let server: SqliteServer
let client: Client
let notes: Notes
let type: ResourceType<Note>
let model: Served<NoteTypes>
beforeAll(async () => {
  server = await startSqliteServer()
  client = server.client()
  notes = await server.notes(client)
  type = { group: 'client.example.com', version: 'v1alpha1', plural: notes.plural }
  model = { ...type, object: undefined, singular: 'note' }
})
afterAll(() => server[Symbol.asyncDispose]())

test('every verb is sent, and results have the types of their models', async () => {
  const [a, b, c, d] = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => notes.create({ metadata: { name }, spec: { text: name } })),
  )
  if (!a || !b || !c || !d) throw new Error('a note is missing')
  const results = await client.batch([
    { verb: 'create', of: model, object: { metadata: { generateName: 'n-' }, spec: { text: 'new' } } },
    { verb: 'update', of: type, object: { ...a, spec: { text: 'updated' } } },
    { verb: 'patch', of: type, name: 'b', patch: { spec: { text: 'merged' } } },
    {
      verb: 'patch',
      of: model,
      name: 'c',
      patch: [{ op: 'add', path: '/status', value: { phase: 'p' } }],
      subresource: 'status',
    },
    { verb: 'delete', of: type, name: 'd', expected: { uid: d.metadata.uid, version: 0 } },
  ])
  expectTypeOf(results[0]).toEqualTypeOf<Note>()
  expectTypeOf(results[2]).toEqualTypeOf<Note>()
  expect(results.map(({ spec, status }) => status?.phase ?? spec.text)).toEqual(['new', 'updated', 'merged', 'p', 'd'])
  expect(results[0].metadata.name).toMatch(/^n-[a-z0-9]{8}$/)
  await expect(notes.get('d')).rejects.toMatchObject({ reason: 'NotFound' })
})

test('a rejected batch throws the error of its operation and stores nothing', async () => {
  const batch = client.batch([
    { verb: 'create', of: type, object: { metadata: { name: 'kept-out' }, spec: { text: 'a' } } },
    { verb: 'delete', of: type, name: 'missing' },
  ])
  await expect(batch).rejects.toMatchObject({ reason: 'NotFound', errors: [{ pointer: '/operations/1/name' }] })
  await expect(notes.get('kept-out')).rejects.toMatchObject({ reason: 'NotFound' })
})

test('a dry run stores nothing', async () => {
  const object = { metadata: { name: 'dry' }, spec: { text: 'a' } }
  const [dry] = await client.batch([{ verb: 'create', of: type, object }], { dryRun: true })
  expect(dry.spec.text).toBe('a')
  await expect(notes.get('dry')).rejects.toMatchObject({ reason: 'NotFound' })
})

test('objects of another type do not compile', async () => {
  // @ts-expect-error: a number is no text
  const batch = client.batch([{ verb: 'create', of: type, object: { metadata: { name: 'x' }, spec: { text: 1 } } }])
  await expect(batch).rejects.toMatchObject({ errors: [{ pointer: '/operations/0/object/spec/text' }] })
})
