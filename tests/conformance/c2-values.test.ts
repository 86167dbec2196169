import { describe, expect, test } from 'vitest'
import { sentBack, thing, type Collection } from './collection.ts'
import { thingFields, thingModel, versionsOf } from './models.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine, once, type Api } from './server.ts'

interface Problem {
  readonly detail: string
  readonly errors?: readonly { pointer: string; field: string; rule: string; message: string }[]
}

/** The body as text, for values that JSON.stringify cannot write. */
const written = (name: string, spec: string) => `{"metadata":{"name":"${name}"},"spec":{"city":"Rome",${spec}}}`

onEachEngine((api) => {
  describe('unknown fields', () => {
    const rows = [
      ['at the top', '/other', { other: 1 }],
      ['in metadata', '/metadata/other', { metadata: { name: 'unknown-1', other: 1 } }],
      ['in spec', '/spec/other', { spec: { city: 'Rome', other: 1 } }],
      ['in a nested object', '/spec/home/other', { spec: { city: 'Rome', home: { street: 's', other: 1 } } }],
      ['in status', '/status/other', { status: { other: 1 } }],
    ] as const
    for (const [where, pointer, parts] of rows) {
      test(`C2-40 S2.1-8 an unknown field ${where} is rejected`, async () => {
        const { path } = await api.things()
        const answer = await api.request('POST', path, { body: { ...thing(), ...parts } })
        expectProblem(answer, 422, 'Invalid')
        expect(answer.body).toMatchObject({ errors: [{ pointer, rule: 'unknown' }] })
      })
    }
  })

  test('C2-41 unknown fields are accepted where the schema allows them', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ spec: { extra: { any: { thing: [1] } } } })
    expect((await things.read(metadata.name)).spec['extra']).toEqual({ any: { thing: [1] } })
    const open = { type: 'object', properties: { known: { type: 'string' } }, additionalProperties: true }
    const models = await api.model({ versions: versionsOf({ open }), indexes: [], composites: [] })
    const body = { metadata: { name: 'open' }, spec: { open: { known: 'a', other: 1 } } }
    expectStatus(await api.request('POST', models.path, { body }), 201)
    expect((await models.read('open')).spec).toEqual(body.spec)
  })

  test('C2-42 defaults are filled in on create and update, and stored', async () => {
    const things = await api.things()
    const { metadata, spec } = await things.created()
    expect(spec['color']).toBe('green')
    await things.updated(metadata.name, thing({ name: metadata.name, spec: { color: 'blue' } }))
    await things.updated(metadata.name, thing({ name: metadata.name }))
    expect((await things.read(metadata.name)).spec['color']).toBe('green')
  })

  describe('after a schema is tightened', () => {
    tightened(api)
  })

  test('C2-50 integers up to 2^53-1 are accepted, larger ones rejected', async () => {
    const { path } = await api.things()
    const send = (name: string, value: string) => api.request('POST', path, { body: written(name, `"rank":${value}`) })
    const largest = await send('largest', '9007199254740991')
    expectStatus(largest, 201)
    expect(largest.text).toContain('"rank":9007199254740991')
    expectStatus(await send('smallest', '-9007199254740991'), 201)
    // With spaces the body differs from the output of JSON.stringify, so the server scans it character by character.
    expectStatus(await send('largest-spaced', ' 9007199254740991 '), 201)
    expectProblem(await send('too-large-spaced', ' 9007199254740992 '), 422, 'Invalid')
    expectProblem(await send('too-large', '9007199254740992'), 422, 'Invalid')
    expectProblem(await send('too-small', '-9007199254740992'), 422, 'Invalid')
  })

  test('C2-51 numbers that do not survive a round trip are rejected with the advice to use a string', async () => {
    const { path } = await api.things()
    const send = (name: string, value: string) =>
      api.request('POST', path, { body: written(name, `"weight":${value}`) })
    for (const value of ['0.12345678901234567891', '1e400', '123456789.123456789012']) {
      const answer = await send('lossy', value)
      expectProblem(answer, 422, 'Invalid')
      expect(answer.text).toMatch(/string/)
    }
    for (const [at, value] of ['0.1234567890123456', '1.0', '0.10', '1E2', '12e-1', '-0'].entries()) {
      expectStatus(await send(`exact-${at}`, value), 201)
    }
  })

  const unsafe = [
    ['C2-52', 'a duplicate key', '"note":"a","note":"b"'],
    ['C2-52', 'a duplicate key, once escaped', String.raw`"note":"a","n\u006fte":"b"`],
    ['C2-52', 'a duplicate key in a nested object', '"extra":{"a":1,"b":{"c":1,"c":1}}'],
    ['C2-53', 'a lone high surrogate', String.raw`"note":"\ud800"`],
    ['C2-53', 'a lone low surrogate', String.raw`"note":"a\udc00"`],
    ['C2-53', 'a lone surrogate in a key', String.raw`"extra":{"\ud800":1}`],
    ['C2-54', '__proto__', '"extra":{"__proto__":{}}'],
    ['C2-54', '__proto__, escaped', String.raw`"extra":{"\u005f_proto__":{}}`],
  ] as const
  for (const [number, what, spec] of unsafe) {
    test(`${number} a body with ${what} is 400`, async () => {
      const { path } = await api.things()
      expectProblem(await api.request('POST', path, { body: written('unsafe', spec) }), 400, 'BadRequest')
    })
  }

  test('C2-53 a surrogate pair is accepted', async () => {
    const { path } = await api.things()
    const body = written('paired', String.raw`"note":"\ud83d\ude00"`)
    expectStatus(await api.request('POST', path, { body }), 201)
  })

  test('C2-55 U+0000 in an indexed value is 422', async () => {
    const things = await api.things()
    expectProblem(await things.create({ spec: { city: 'a\u0000b' } }), 422, 'Invalid')
    expectProblem(await things.create({ spec: { tags: ['a', '\u0000'] } }), 422, 'Invalid')
  })
})

interface Page {
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
  readonly continue?: string
}

/** Objects that are written under one schema, which is then replaced by a stricter one. */
function tightened(api: Api): void {
  const { extra: _extra, ...known } = thingFields
  const narrow = {
    ...known,
    nick: { type: 'string', maxLength: 2 },
    note: { type: 'string', enum: ['ok'] },
    // Filled in when spec is validated: when it is absent, spec was not validated.
    mood: { type: 'string', default: 'calm' },
  }
  const stored = { nick: 'abcd', extra: { old: true } }

  const prepare = once(async () => {
    const models = await api.model({ statusSubresource: true, versions: thingModel.versions })
    const objects = await Promise.all(Array.from({ length: 7 }, () => models.created({ spec: stored })))
    await models.redefine({ statusSubresource: true, versions: versionsOf(narrow, ['city']) })
    await expect.poll(() => dryCreate(models, { nick: 'abcd' })).toBe(422)
    return { models, objects: objects.values() }
  })
  const next = async () => {
    const { models, objects } = await prepare()
    const { value } = objects.next()
    if (!value) throw new Error('all prepared objects are used')
    return { models, made: value, name: value.metadata.name }
  }

  test('C2-43 C2-44 an unknown field and an invalid value that are already stored are accepted', async () => {
    const { models, made, name } = await next()
    const updated = await models.updated(name, sentBack(made, { spec: { city: 'Oslo' } }))
    expect(updated.spec).toMatchObject({ ...stored, city: 'Oslo' })
  })

  test('C2-45 a new invalid value and a changed unknown field are rejected', async () => {
    const { models, made, name } = await next()
    const refused = async (spec: object): Promise<Problem> => {
      const answer: Answer = await models.put(name, sentBack(made, { spec }))
      expectProblem(answer, 422, 'Invalid')
      return answer.body as Problem
    }
    expect((await refused({ nick: 'efgh' })).errors).toMatchObject([{ pointer: '/spec/nick' }])
    expect((await refused({ note: 'other' })).errors).toMatchObject([{ pointer: '/spec/note' }])
    expect((await refused({ extra: { old: false } })).errors).toMatchObject([{ rule: 'unknown' }])
  })

  test('C2-95 nonconforming=true lists the objects that the current schema rejects, page by page', async () => {
    const { models, name } = await next()
    const fitting = await models.created({ spec: { nick: 'ab' } })
    const named = async (query: string) => {
      const answer = await api.request('GET', `${models.path}?${query}`)
      expectStatus(answer, 200)
      const { items, ...page } = answer.body as Page
      return { names: items.map(({ metadata }) => metadata.name), next: page.continue }
    }
    const { names } = await named('nonconforming=true')
    expect(names).toContain(name)
    expect(names).not.toContain(fitting.metadata.name)
    const paged: string[] = []
    for (let query: string | undefined = 'nonconforming=true&size=2'; query !== undefined;) {
      const page = await named(query)
      paged.push(...page.names)
      query = page.next && `continue=${page.next}`
    }
    expect(paged.toSorted()).toEqual(names.toSorted())
    expectProblem(await api.request('GET', `${models.path}?nonconforming=true&size=501`), 400, 'InvalidPage')
  })

  test('C2-46 a change of only metadata does not validate spec', async () => {
    const { models, made, name } = await next()
    expectStatus(await models.put(name, sentBack(made, { metadata: { labels: { 'a.b/c': 'd' } } })), 200)
    expectStatus(await models.patch(name, { metadata: { annotations: { 'a.b/c': 'd' } } }), 200)
    const { metadata, spec } = await models.read(name)
    expect({ version: metadata.version, generation: metadata.generation, spec }).toEqual({
      version: 2,
      generation: made.metadata.generation,
      spec: made.spec,
    })
  })

  test('C2-47 a change of only status does not validate spec', async () => {
    const { models, made, name } = await next()
    expectStatus(await models.put(`${name}/status`, { ...made, status: { phase: 'a' } }), 200)
    expectStatus(await models.patch(`${name}/status`, { status: { phase: 'b' } }), 200)
    expect((await models.read(name)).spec).toEqual(made.spec)
  })

  test('C2-48 C2-49 a nonconforming object is served as stored and can be deleted', async () => {
    const { models, made, name } = await next()
    expect(await models.read(name)).toEqual(made)
    const { items } = await models.listed({ fieldSelector: `metadata.name=${name}` })
    expect(items).toEqual([made])
    expectStatus(await models.delete(name), 200)
  })
}

async function dryCreate(models: Collection, spec: object): Promise<number> {
  const body = thing({ spec: { ...spec } })
  return (await models.send('POST', { dryRun: 'true' }, { body })).status
}
