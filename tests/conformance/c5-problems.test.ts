import { expect, test } from 'vitest'
import { freshName, sentBack, thing } from './collection.ts'
import { expectProblem, expectStatus, type Answer, type RequestOptions } from './request.ts'
import { onEachEngine } from './server.ts'

const roles = '/api/v1alpha1/roles'

interface Problem {
  readonly detail: string
  readonly requestId: string
  readonly errors: readonly { readonly pointer: string; readonly rule: string; readonly message: string }[]
}

type Row = readonly [numbers: string, status: number, reason: string, line: string, options?: RequestOptions]

/** Requests that fail independently of the registered models. */
const rows: readonly Row[] = [
  ['C5-8', 400, 'BadRequest', `POST ${roles}`, { body: '{' }],
  ['C1-25', 400, 'TypeMismatch', `POST ${roles}`, { body: { kind: 'Rule' } }],
  ['C5-29', 401, 'Unauthenticated', `GET ${roles}`, { as: 'anonymous' }],
  ['C7-90', 401, 'Unauthenticated', `GET ${roles}`, { headers: { authorization: 'Bearer wrong' } }],
  ['C5-29', 401, 'Unauthenticated', `DELETE ${roles}/author`, { as: 'anonymous' }],
  ['C5-29', 401, 'Unauthenticated', `GET ${roles}/nobody`, { as: 'anonymous' }],
  ['C5-14', 404, 'NotFound', `GET ${roles}/nobody`],
  ['C1-27', 404, 'ModelNotFound', 'GET /api/v1alpha1/nothings'],
  ['C1-20', 405, 'MethodNotAllowed', `POST ${roles}/author`, { body: {} }],
  ['S2.3-1', 409, 'AlreadyExists', `POST ${roles}`, { body: { metadata: { name: 'author' }, rules: [] } }],
  ['C5-21', 413, 'PayloadTooLarge', `POST ${roles}`, { body: `"${'x'.repeat(1024 * 1024 - 1)}"` }],
  ['C5-22', 415, 'UnsupportedMediaType', `POST ${roles}`, { body: 'a: b', headers: { 'content-type': 'text/yaml' } }],
  ['C5-23', 422, 'Invalid', `POST ${roles}`, { body: { metadata: { name: '-' }, rules: [] } }],
]

const errorsOf = ({ body }: Answer) => (body as Problem).errors
const pointersOf = (answer: Answer) =>
  errorsOf(answer)
    .map(({ pointer }) => pointer)
    .toSorted()

onEachEngine((api) => {
  for (const [numbers, status, reason, line, options] of rows) {
    const [method = '', path = ''] = line.split(' ')
    test(`${numbers} C5-1 C5-2 C5-3 C5-4 ${reason} is ${status}, as a complete problem`, async () => {
      const answer = await api.request(method, path, options)
      expectProblem(answer, status, reason)
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json(;|$)/)
      expect(answer.body).toMatchObject({
        type: expect.stringMatching(/^https?:/) as string,
        title: expect.stringMatching(/./) as string,
        status,
        detail: expect.stringMatching(/./) as string,
        instance: path,
        requestId: expect.stringMatching(/./) as string,
      })
      expect(answer.headers['pergola-request-id']).toBe((answer.body as Problem).requestId)
    })
  }

  test('C5-4 every request has its own id', async () => {
    const ask = async () => ((await api.request('GET', `${roles}/nobody`)).body as Problem).requestId
    expect(await ask()).not.toBe(await ask())
  })

  test('C5-21 a body of exactly 1 MiB is not too large', async () => {
    const answer = await api.request('POST', roles, { body: `"${'x'.repeat(1024 * 1024 - 2)}"` })
    expectProblem(answer, 400, 'BadRequest')
  })

  test('C5-5 the errors of an invalid object name the invalid fields', async () => {
    const answer = await api.request('POST', roles, {
      body: { metadata: { name: 'x' }, rules: [{ apiGroups: [''], resources: ['y'], verbs: ['get'], 'a/b': 1 }] },
    })
    expectProblem(answer, 422, 'Invalid')
    expect(errorsOf(answer)).toEqual([
      {
        pointer: '/rules/0/a~1b',
        field: 'rules[0]["a/b"]',
        rule: 'unknown',
        message: expect.stringMatching(/./) as string,
      },
    ])
  })

  test('C5-6 an error about a limit contains the limit in params', async () => {
    const labels = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`a.b/k${at}`, 'v']))
    const answer = await api.request('POST', roles, { body: { metadata: { name: 'x', labels }, rules: [] } })
    expect(errorsOf(answer)).toMatchObject([{ pointer: '/metadata/labels', params: { limit: 64 } }])
  })

  test('C5-7 a 400 about a field of the request names the field', async () => {
    const answer = await api.request('POST', roles, { body: { kind: 'Rule', metadata: { name: 'x' }, rules: [] } })
    expectProblem(answer, 400, 'TypeMismatch')
    expect(answer.body).toMatchObject({ errors: [{ pointer: '/kind', field: 'kind' }] })
  })

  test('S2.3-6 a version conflict contains the stored version', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    for (const note of ['a', 'b', 'c']) await things.updated(name, sentBack(made, { spec: { note } }))
    const answer = await things.put(name, sentBack(made, { metadata: { version: 1 }, spec: { note: 'd' } }))
    expectProblem(answer, 409, 'VersionConflict')
    const { detail, ...rest } = answer.body as Problem & Readonly<Record<string, unknown>>
    expect(/\b3\b/.test(detail) || Object.values(rest).includes(3)).toBe(true)
  })

  test('C5-42 a version conflict contains the uid and version of the stored object, also in a batch', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name, uid } = made.metadata
    await things.updated(name, sentBack(made, { spec: { note: 'a' } }))
    const object = sentBack(made, { metadata: { version: 0 }, spec: { note: 'b' } })
    const { apiVersion } = made
    const resource = things.path.split('/').at(-1)
    const operations = [{ verb: 'update', apiVersion, resource, name, object }]
    const batches = '/apis/api.platform.run/v1alpha1/batches'
    for (const answer of [
      await things.put(name, object),
      await api.request('POST', batches, { body: { operations } }),
    ]) {
      expectProblem(answer, 409, 'VersionConflict')
      expect(answer.body).toMatchObject({ stored: { uid, version: 1 } })
    }
  })

  test('S7-1 an object with a wrong type gets no constraint errors', async () => {
    const things = await api.things()
    const answer = await things.create({ spec: { city: 1, age: -1, nick: 'abcde' } })
    expectProblem(answer, 422, 'Invalid')
    expect(errorsOf(answer)).toMatchObject([{ pointer: '/spec/city', rule: 'type' }])
  })

  test('S7-2 an object without a required field gets no constraint errors', async () => {
    const things = await api.things()
    const body = { metadata: { name: freshName() }, spec: { age: -1, nick: 'abcde' } }
    const answer = await api.request('POST', things.path, { body })
    expectProblem(answer, 422, 'Invalid')
    expect(errorsOf(answer)).toMatchObject([{ pointer: '/spec/city', rule: 'required' }])
  })

  test('C5-28 S7-3 C5-5 all constraint errors are returned at once', async () => {
    const things = await api.things()
    const spec = { age: -1, nick: 'abcde', mail: 'nobody', plate: 'x', born: 'never' }
    const answer = await things.create({ spec })
    expectProblem(answer, 422, 'Invalid')
    expect(pointersOf(answer)).toEqual(['/spec/age', '/spec/born', '/spec/mail', '/spec/nick', '/spec/plate'])
    const above = await things.create({ spec: { age: 201, nick: 'a' } })
    expect(pointersOf(above)).toEqual(['/spec/age', '/spec/nick'])
  })

  test('C5-28 all structural errors are returned at once', async () => {
    const things = await api.things()
    const body = { metadata: { name: freshName() }, spec: { age: 'old', tags: 'x', home: { number: 1 } } }
    const answer = await api.request('POST', things.path, { body })
    expect(pointersOf(answer)).toEqual(['/spec/age', '/spec/city', '/spec/home/street', '/spec/tags'])
  })

  test('S7-4 S7-5 a valid object is stored and an invalid one is not', async () => {
    const things = await api.things()
    const [good, bad] = [freshName(), freshName()]
    expectStatus(await api.request('POST', things.path, { body: thing({ name: good, spec: { age: 1 } }) }), 201)
    expectStatus(await api.request('POST', things.path, { body: thing({ name: bad, spec: { age: -1 } }) }), 422)
    expect((await things.read(good)).spec['age']).toBe(1)
    expectProblem(await things.get(bad), 404, 'NotFound')
    expectStatus(await things.put(good, thing({ name: good, spec: { age: -1 } })), 422)
    expect((await things.read(good)).spec['age']).toBe(1)
  })
})
