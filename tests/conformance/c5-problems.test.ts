import { expect, test } from 'vitest'
import { freshName, jsonPatch, sentBack, thing } from './collection.ts'
import { expectProblem, expectStatus, type Answer, type RequestOptions } from './request.ts'
import { onEachEngine } from './server.ts'

const roles = '/api/v1alpha1/roles'
const asJsonPatch = { headers: { 'content-type': jsonPatch } }

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

  test('S7-1 C5-28 types come before constraints, and a value of a wrong type gets no constraint errors', async () => {
    const things = await api.things()
    const answer = await things.create({ spec: { city: 1, age: 'x', nick: 'abcde', home: { street: 1, number: 0 } } })
    expectProblem(answer, 422, 'Invalid')
    expect(errorsOf(answer).map(({ pointer, rule }) => `${pointer} ${rule}`)).toEqual([
      '/spec/city type',
      '/spec/age type',
      '/spec/home/street type',
      '/spec/nick maxLength',
      '/spec/home/number minimum',
    ])
  })

  test('S7-2 C5-28 required and unknown fields come before constraints', async () => {
    const things = await api.things()
    const body = { metadata: { name: freshName() }, spec: { age: -1, nick: 'abcde', other: 1 } }
    const answer = await api.request('POST', things.path, { body })
    expectProblem(answer, 422, 'Invalid')
    expect(errorsOf(answer).map(({ pointer, rule }) => `${pointer} ${rule}`)).toEqual([
      '/spec/city required',
      '/spec/other unknown',
      '/spec/nick maxLength',
      '/spec/age minimum',
    ])
  })

  test('C5-450 every 400 and 422 has errors; of a query without a pointer, of a whole body with an empty one', async () => {
    const things = await api.things()
    const { name } = (await things.created()).metadata
    const query = async (text: string) => api.request('GET', `${things.path}?${text}`)
    for (const [text, field] of [
      ['colour=red', 'query.colour'],
      ['page=0', 'query.page'],
      ['page=2', 'query.size'],
      ['size=x', 'query.size'],
      ['exactTotal=maybe', 'query.exactTotal'],
      ['sort=spec.tags', 'query.sort'],
      ['sort=spec.city,up', 'query.sort'],
      ['sort=-spec.city', 'query.sort'],
      ['sort=spec.nothing', 'query.sort'],
      ['fieldSelector=spec.nothing=1', 'query.fieldSelector'],
      ['fieldSelector=spec.age=x', 'query.fieldSelector'],
      ['fieldSelector=spec.city==x', 'query.fieldSelector'],
      ['labelSelector=a=(', 'query.labelSelector'],
      ['continue=x', 'query.continue'],
      ['fields=spec.nothing', 'query.fields'],
    ] as const) {
      const answer = await query(text)
      expectStatus(answer, 400)
      expect(errorsOf(answer), text).toMatchObject([{ field, message: expect.any(String) as string }])
      expect(errorsOf(answer)[0], text).not.toHaveProperty('pointer')
    }
    for (const [body, pointer] of [
      ['{', ''],
      ['[]', ''],
      [Buffer.from([0x22, 0xff, 0x22]), ''],
      [thing({ name: 'another' }), '/metadata/name'],
    ] as const) {
      const answer = await api.request('PUT', `${things.path}/${name}`, { body })
      expectProblem(answer, 400, 'BadRequest')
      expect(pointersOf(answer)).toEqual([pointer])
    }
    for (const path of ['/apis//x', '/auth/sessions/%2e%2e', `${things.path}/-?watch=true`]) {
      expect(errorsOf(await api.request('GET', path)), path).toHaveLength(1)
    }
  })

  test('C5-451 errors of a JSON Patch point to the value that was sent', async () => {
    const things = await api.things()
    const { name } = (await things.created({ spec: { home: { street: 'a' } } })).metadata
    const other = await things.created({ spec: { code: freshName() } })
    const patch = [
      { op: 'test', path: '/spec/city', value: 'Rome' },
      { op: 'replace', path: '/spec/home', value: { street: 'b', number: 0 } },
      { op: 'add', path: '/spec/scores', value: [] },
      { op: 'add', path: '/spec/scores/-', value: 'x' },
      { op: 'remove', path: '/spec/city' },
    ]
    const answer = await things.patch(name, patch, asJsonPatch)
    expectProblem(answer, 422, 'Invalid')
    expect(pointersOf(answer)).toEqual(['/1/value/number', '/3/value', '/4/path'])
    const taken = [{ op: 'add', path: '/spec/code', value: other.spec['code'] }]
    expect(pointersOf(await things.patch(name, taken, asJsonPatch))).toEqual(['/0/value'])
    expect(pointersOf(await things.patch(name, [{ op: 'add', path: '', value: [] }], asJsonPatch))).toEqual([
      '/0/value',
    ])
    const { apiVersion } = other
    const operation = { verb: 'patch', apiVersion, resource: things.path.split('/').at(-1), name, object: patch }
    const operations = [{ ...operation, patchType: 'application/json-patch+json' }]
    const batch = await api.request('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { operations } })
    expect(pointersOf(batch)).toContain('/operations/0/object/1/value/number')
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
    const many = Array.from({ length: 200 }, (_, at) => [`f${at}`, 1] as const)
    expect(errorsOf(await things.create({ spec: { ...Object.fromEntries(many), age: -1 } }))).toHaveLength(100)
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
