import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSqliteServer, type Note, type Notes, type SqliteServer } from '../../../tests/client/server.ts'
import { etagOf, type ResourceType } from './object-types.ts'

let server: SqliteServer
let notes: Notes
beforeAll(async () => {
  server = await startSqliteServer()
  notes = await server.notes()
})
afterAll(() => server[Symbol.asyncDispose]())

describe('one object', () => {
  test('is created, read, replaced, patched with merge and JSON patches, and deleted', async () => {
    const created = await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
    expect(created).toMatchObject({ metadata: { name: 'one', version: 0 }, spec: { text: 'a' } })
    expect(await notes.get('one')).toEqual(created)
    const updated = await notes.update({ ...created, spec: { text: 'b', rank: 1 } })
    expect(updated).toMatchObject({ metadata: { version: 1 }, spec: { text: 'b', rank: 1 } })
    const merged = await notes.patch('one', { spec: { rank: null } })
    expect(merged.spec).toEqual({ text: 'b' })
    const stepped = await notes.patch('one', [{ op: 'replace', path: '/spec/text', value: 'c' }])
    expect(stepped.spec).toEqual({ text: 'c' })
    const deleted = await notes.delete('one')
    expect(deleted.metadata.deletionTimestamp).toBeDefined()
    await expect(notes.get('one')).rejects.toMatchObject({ reason: 'NotFound', status: 404 })
  })

  test('is created under a generated name', async () => {
    const { metadata } = await notes.create({ metadata: { generateName: 'made-' }, spec: { text: 'a' } })
    expect(metadata.name).toMatch(/^made-[a-z0-9]{8}$/)
  })

  test('has a separate status', async () => {
    const created = await notes.create({ metadata: { generateName: 'status-' }, spec: { text: 'a' } })
    const updated = await notes.updateStatus({ ...created, spec: { text: 'lost' }, status: { phase: 'new' } })
    expect(updated).toMatchObject({ spec: { text: 'a' }, status: { phase: 'new' } })
    const patched = await notes.patchStatus(created.metadata.name, { status: { phase: 'old' } })
    expect(patched.status).toEqual({ phase: 'old' })
  })

  test('is read in part, which cannot be written back', async () => {
    const { metadata } = await notes.create({ metadata: { generateName: 'part-' }, spec: { text: 'a', rank: 4 } })
    const part = await notes.get(metadata.name, { fields: ['spec.rank'] })
    expect(part.spec).toEqual({ rank: 4 })
    // @ts-expect-error -- the missing fields would be removed
    await expect(notes.update(part)).rejects.toMatchObject({ reason: 'Invalid' })
    const query = { fieldSelector: `metadata.name=${metadata.name}`, fields: ['spec.text'] }
    for await (const { spec } of notes.listAll(query)) expect(spec).toEqual({ text: 'a' })
  })

  test('is not stored by a dry run', async () => {
    const dry = await notes.create({ metadata: { name: 'dry' }, spec: { text: 'a' } }, { dryRun: true })
    expect(dry.spec.text).toBe('a')
    await expect(notes.get('dry')).rejects.toMatchObject({ reason: 'NotFound' })
    const kept = await notes.create({ metadata: { name: 'kept' }, spec: { text: 'a' } })
    await notes.patch('kept', { spec: { text: 'b' } }, { dryRun: true })
    await notes.delete('kept', { dryRun: true })
    expect(await notes.get('kept')).toEqual(kept)
  })

  test('is written only if it is unchanged, with ifMatch or with its version', async () => {
    const read = await notes.create({ metadata: { generateName: 'match-' }, spec: { text: 'a' } })
    const { name } = read.metadata
    const ifMatch = etagOf(read)
    const patched = await notes.patch(name, { spec: { text: 'b' } }, { ifMatch })
    await expect(notes.patch(name, { spec: { text: 'c' } }, { ifMatch })).rejects.toMatchObject({ status: 412 })
    await expect(notes.delete(name, { ifMatch })).rejects.toMatchObject({ reason: 'PreconditionFailed' })
    const { uid, version } = patched.metadata
    await expect(notes.update(read)).rejects.toMatchObject({
      reason: 'VersionConflict',
      status: 409,
      stored: { uid, version },
    })
    await notes.delete(name, { ifMatch: etagOf(patched) })
  })

  test.each(['', '.', '..'])('the name "%s" never reaches another path', async (name) => {
    await expect(notes.delete(name)).rejects.toMatchObject({ reason: 'BadRequest' })
    await expect(notes.get(name)).rejects.toMatchObject({ reason: 'BadRequest' })
  })

  test('a name with special characters stays one path segment', async () => {
    await expect(notes.get('a/../b?c#d')).rejects.toMatchObject({ reason: 'BadRequest' })
    await expect(notes.get('ü')).rejects.toMatchObject({ reason: 'NotFound' })
  })
})

describe('modify', () => {
  test('loses no update under concurrent calls', async () => {
    const { metadata } = await notes.create({ metadata: { generateName: 'count-' }, spec: { text: 'a', rank: 0 } })
    const add = () =>
      notes.modify(metadata.name, (note) => {
        note.spec.rank = (note.spec.rank ?? 0) + 1
      })
    await Promise.all(Array.from({ length: 8 }, add))
    expect((await notes.get(metadata.name)).spec.rank).toBe(8)
  })

  test('throws errors other than conflicts without a retry', async () => {
    await expect(notes.modify('nowhere', () => {})).rejects.toMatchObject({ reason: 'NotFound' })
    const { metadata } = await notes.create({ metadata: { generateName: 'bad-' }, spec: { text: 'a' } })
    let runs = 0
    const broken = notes.modify(metadata.name, (note) => {
      runs++
      note.spec.text = ''
    })
    await expect(broken).rejects.toMatchObject({ reason: 'Invalid', errors: [{ field: 'spec.text' }] })
    expect(runs).toBe(1)
  })
})

describe('collections', () => {
  let many: Notes
  beforeAll(async () => {
    many = await server.notes()
    const ranks = Array.from({ length: 25 }, (_, rank) => rank)
    const create = (rank: number) =>
      many.create({
        metadata: { name: `n-${String(rank).padStart(2, '0')}`, labels: { 'example.com/odd': String(rank % 2) } },
        spec: { text: rank === 3 ? 'a, (b) \\ c' : 'plain', rank },
      })
    await Promise.all(ranks.map(create))
  })
  const ranksOf = (items: readonly { readonly spec: { readonly rank?: number } }[]) =>
    items.map(({ spec }) => spec.rank)

  test('are listed with page, size, sort and selectors combined', async () => {
    const list = await many.list({
      page: 2,
      size: 3,
      sort: ['spec.rank,desc', 'metadata.name'],
      labelSelector: 'example.com/odd=1',
      fieldSelector: 'spec.rank<20',
    })
    expect(list).toMatchObject({ page: 2, size: 3, total: 10, hasNext: true, hasPrevious: true })
    expect(ranksOf(list.items)).toEqual([13, 11, 9])
  })

  test('are selected by terms, whose values are escaped by the client', async () => {
    const list = await many.list({ fieldSelector: [{ key: 'spec.text', op: '=', value: 'a, (b) \\ c' }] })
    expect(ranksOf(list.items)).toEqual([3])
    const some = await many.list({
      labelSelector: [{ key: 'example.com/odd', op: 'in', values: ['0', '1'] }],
      fieldSelector: [{ key: 'metadata.name', op: 'in', values: ['n-07', 'n-01'] }],
      sort: 'metadata.name,asc',
    })
    expect(ranksOf(some.items)).toEqual([1, 7])
  })

  test('are read completely, page by page', async () => {
    const read: unknown[] = []
    for await (const { spec } of many.listAll({ size: 4, sort: 'spec.rank', labelSelector: 'example.com/odd=0' })) {
      read.push(spec.rank)
    }
    expect(read).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24])
  })

  test('are deleted by a selector or `all`, never by an empty selection', async () => {
    await expect(many.deleteCollection({})).rejects.toMatchObject({ reason: 'BadRequest' })
    const dry = await many.deleteCollection({ fieldSelector: 'spec.rank>=20' }, { dryRun: true })
    expect(dry).toEqual({ deleted: 5, pending: 0, refused: 0, remaining: false })
    expect(await many.deleteCollection({ fieldSelector: 'spec.rank>=20' })).toEqual(dry)
    expect((await many.list({ size: 1 })).total).toBe(20)
    expect((await many.deleteCollection({ all: true })).deleted).toBe(20)
  })

  test('have the object type of their ResourceType', async () => {
    const type: ResourceType<Note> = { group: 'client.example.com', version: 'v1alpha1', plural: notes.plural }
    const { spec } = await server
      .client()
      .resource(type)
      .create({ spec: { text: 'typed' }, metadata: { name: 'typed' } })
    const text: string = spec.text
    expect(text).toBe('typed')
  })

  test('of the core group have the path /api', async () => {
    const roles = server.client().resource({ group: '', version: 'v1alpha1', plural: 'roles' })
    expect((await roles.get('author')).kind).toBe('Role')
  })
})

describe('errors', () => {
  test('have status, reason, request ID and field errors', async () => {
    const broken = notes.create({ metadata: { name: 'broken' }, spec: { text: '', rank: 1.5 } })
    const error = await broken.catch((cause: unknown) => cause)
    expect(error).toMatchObject({ name: 'ApiError', reason: 'Invalid', status: 422 })
    const { errors, requestId } = error as { errors: { field: string }[]; requestId: string }
    expect(errors.map(({ field }) => field)).toContain('spec.rank')
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  })
})
