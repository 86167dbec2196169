import { describe, expect, test } from 'vitest'
import { thing, type StoredThing } from './collection.ts'
import { collectionPath, freshModel, modelObject, modelsPath } from './models.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const roles = '/api/v1alpha1/roles'

const badPaths = [
  ['C1-9', '/api//v1alpha1/roles'],
  ['C1-9', '/api/v1alpha1/roles/'],
  ['C1-10', '/api/./v1alpha1/roles'],
  ['C1-10', '/api/%2e/v1alpha1/roles'],
  ['C1-11', '/api/v1alpha1/../v1alpha1/roles'],
  ['C1-11', '/api/v1alpha1/%2E%2e/v1alpha1/roles'],
  ['C1-12', '/api/v1alpha1/roles/a%2Fb'],
  ['C1-12', '/api/v1alpha1%2froles'],
  ['C1-13', '/api/v1alpha1/roles/a%00'],
  ['C1-14', '/api/v1alpha1/roles/%ff'],
  ['C1-14', '/api/v1alpha1/roles/%c3%28'],
  ['C1-14', '/api/v1alpha1/roles/%ed%a0%80'],
] as const

/** An unknown resource is `ModelNotFound`; a path that is not a resource request is `NotFound`. */
const depths = [
  ['S5-4', '/api/v1alpha1', 'NotFound'],
  ['S5-4', '/api/v1alpha1/nothings', 'ModelNotFound'],
  ['S5-4', '/api/v1alpha1/nothings/a', 'ModelNotFound'],
  ['S5-4', '/api/v1alpha1/nothings/a/b', 'ModelNotFound'],
  ['S5-4', '/api/v1alpha1/nothings/a/b/c', 'NotFound'],
  ['S5-5 C1-33', '/apis/test.example.com', 'NotFound'],
  ['S5-5 C1-33', '/apis/test.example.com/v1alpha1', 'NotFound'],
  ['S5-5', '/apis/test.example.com/v1alpha1/nothings', 'ModelNotFound'],
  ['S5-5', '/apis/test.example.com/v1alpha1/nothings/a', 'ModelNotFound'],
  ['S5-5', '/apis/test.example.com/v1alpha1/nothings/a/b', 'ModelNotFound'],
  ['S5-5', '/apis/test.example.com/v1alpha1/nothings/a/b/c', 'NotFound'],
  ['C1-23', '/apis/test.example.com/v1alpha1/nothings/a/b/c/d', 'NotFound'],
  ['C1-23', '/one/two/three/four/five/six/seven/eight', 'NotFound'],
  ['C1-27', '/apis/plugin.platform.run/v1alpha1/nothings', 'ModelNotFound'],
  ['C1-28', '/apis/nobody.example.com/v1alpha1/roles', 'ModelNotFound'],
  ['S9-2', '/api/v1/roles', 'ModelNotFound'],
] as const

onEachEngine((api) => {
  describe('a malformed path is 400', () => {
    for (const [number, path] of badPaths) {
      test(`${number} GET ${path} is 400`, async () => {
        expectProblem(await api.request('GET', path), 400, 'BadRequest')
      })
    }
  })

  describe('a path without a resource is 404', () => {
    for (const [numbers, path, reason] of depths) {
      test(`${numbers} GET ${path} is 404 ${reason}`, async () => {
        expectProblem(await api.request('GET', path), 404, reason)
      })
    }
  })

  test('C1-1 S2.8-1 roles are in the core group, with apiVersion v1alpha1 and kind Role', async () => {
    const answer = await api.request('GET', `${roles}/author`)
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ apiVersion: 'v1alpha1', kind: 'Role', metadata: { name: 'author' } })
  })

  test('C1-8 a percent-encoded path means the same as the decoded one', async () => {
    const plain = await api.request('GET', `${roles}/author`)
    const encoded = await api.request('GET', '/api/v1alpha1/r%6Fles/%61uthor')
    expectStatus(encoded, 200)
    expect(encoded.text).toBe(plain.text)
  })

  for (const [number, path] of [
    ['C1-15', `${roles}/author`],
    ['C1-16', `${roles}?size=3`],
  ] as const) {
    test(`${number} HEAD ${path} returns status and headers of GET without the body`, async () => {
      const get = await api.request('GET', path)
      const head = await api.request('HEAD', path)
      expect(head).toMatchObject({ status: 200, text: '' })
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(head.headers.etag).toBe(get.headers.etag)
    })
  }

  test('C1-16 HEAD does not count as an unbounded list in flight', async () => {
    for (let times = 0; times < 4; times++) expectStatus(await api.request('HEAD', roles), 200)
    expectStatus(await api.request('GET', roles), 200)
  })

  for (const accept of ['*/*', 'text/*', 'application/json, */*;q=0.1']) {
    test(`C1-17 "Accept: ${accept}" does not request a stream`, async () => {
      // The body of a stream would not end.
      const answer = await api.open(roles, { accept })
      answer.destroy()
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json'])
    })
  }

  test('C1-47 HEAD on /livez requires only the verb get', async () => {
    expectStatus(await api.request('HEAD', '/livez', { as: 'anonymous' }), 200)
  })

  test('C1-20 POST on a name is 405 with Allow and creates nothing', async () => {
    const answer = await api.request('POST', `${roles}/new`, { body: { metadata: { name: 'new' }, rules: [] } })
    expectProblem(answer, 405, 'MethodNotAllowed')
    expect(answer.headers.allow?.split(/, */)).toContain('GET')
    expect(answer.headers.allow?.split(/, */)).not.toContain('POST')
    expectProblem(await api.request('GET', `${roles}/new`), 404, 'NotFound')
  })

  test('C1-21 POST on a name is 405 before authorization', async () => {
    for (const path of [`${roles}/author`, '/apis/nobody.example.com/v1alpha1/nothings/a']) {
      const answer = await api.request('POST', path, { as: 'anonymous', body: {} })
      expectProblem(answer, 405, 'MethodNotAllowed')
      expect(answer.headers.allow).toBeDefined()
    }
  })

  test('C1-24 a body with another apiVersion is 400 TypeMismatch', async () => {
    const things = await api.things()
    for (const apiVersion of ['v1alpha1', 'test.example.com/v1', 'other.example.com/v1alpha1', 7]) {
      const answer = await api.request('POST', things.path, { body: { ...thing(), apiVersion } })
      expectProblem(answer, 400, 'TypeMismatch')
    }
  })

  test('C1-25 a body with another kind is 400 TypeMismatch', async () => {
    const things = await api.things()
    for (const kind of ['thing', 'Things', null]) {
      expectProblem(await api.request('POST', things.path, { body: { ...thing(), kind } }), 400, 'TypeMismatch')
    }
    const { metadata } = await things.created()
    const put = await things.put(metadata.name, { ...thing({ name: metadata.name }), kind: 'Other' })
    expectProblem(put, 400, 'TypeMismatch')
  })

  test('C1-26 S2.1-2 S2.1-3 apiVersion and kind of the path are filled in when the body has none', async () => {
    const things = await api.things()
    const answer = await api.request('POST', things.path, { body: thing() })
    expectStatus(answer, 201)
    expect(answer.body).toMatchObject({ apiVersion: 'test.example.com/v1alpha1', kind: 'Thing' })
    const { apiVersion, kind, metadata } = answer.body as StoredThing
    expectStatus(await things.put(metadata.name, { ...thing({ name: metadata.name }), apiVersion, kind }), 200)
  })

  test('C1-29 every replica serves a model as soon as its registration is answered', async () => {
    const other = await api.replica()
    for (let times = 0; times < 3; times++) {
      const spec = freshModel()
      expectStatus(await other.request('GET', collectionPath(spec)), 404)
      expectStatus(await api.request('POST', modelsPath, { body: modelObject(spec) }), 201)
      const { status } = await other.request('GET', collectionPath(spec))
      expect(status).toBeOneOf([200, 503])
      await expect.poll(async () => (await other.request('GET', collectionPath(spec))).status).toBe(200)
    }
  })

  test('S2.1-6 S9-2 the path consists of group, version and plural; any other version or name is 404', async () => {
    const { spec } = await api.model()
    expectStatus(await api.request('GET', `/apis/${spec.group}/v1alpha1/${spec.plural}`), 200)
    for (const path of [`v1/${spec.plural}`, `v1alpha1/${spec.singular}`, `v1alpha1/${spec.kind}`]) {
      expectProblem(await api.request('GET', `/apis/${spec.group}/${path}`), 404, 'ModelNotFound')
    }
  })
})
