import { expect, test } from 'vitest'
import { sentBack, thing, type StoredThing } from './collection.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const etagOf = ({ metadata }: StoredThing, version = metadata.version) => `"${metadata.uid}.${version}"`

onEachEngine((api) => {
  const writes = [
    ['C2-14', 'PUT', () => ({ body: thing({ spec: { note: 'new' } }) })],
    [
      'C2-15',
      'PATCH',
      () => ({ body: { spec: { note: 'new' } }, headers: { 'content-type': 'application/merge-patch+json' } }),
    ],
    ['C2-16', 'DELETE', () => ({})],
  ] as const
  for (const [numbers, method, parts] of writes) {
    test(`${numbers} ${method} with another ETag in If-Match is 412`, async () => {
      const things = await api.things()
      const made = await things.created()
      const { name } = made.metadata
      const options: { body?: object; headers?: Record<string, string> } = parts()
      if (method === 'PUT') options.body = thing({ name, spec: { note: 'new' } })
      const foreign = '"01890000-0000-7000-8000-000000000000.0"'
      for (const etag of [etagOf(made, 1), foreign]) {
        const headers = { ...options.headers, 'if-match': etag }
        expectProblem(
          await api.request(method, `${things.path}/${name}`, { ...options, headers }),
          412,
          'PreconditionFailed',
        )
      }
      expect(await things.read(name)).toEqual(made)
    })
  }

  test('C2-17 PUT, PATCH and DELETE with the stored ETag in If-Match are applied', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    const ifMatch = (version: number) => ({ headers: { 'if-match': etagOf(made, version) } })
    expectStatus(await things.put(name, sentBack(made, { spec: { note: 'a' } }), ifMatch(0)), 200)
    expectStatus(await things.patch(name, { spec: { note: 'b' } }, ifMatch(1)), 200)
    expectStatus(await things.delete(name, ifMatch(2)), 200)
  })

  test('C2-18 C2-19 an update that changes nothing keeps version and bytes, whatever the order of its fields', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ spec: { note: 'a', home: { street: 's', number: 1 } } })
    const before = await things.get(metadata.name)
    const again = { spec: { home: { number: 1, street: 's' }, note: 'a', city: 'Rome' }, metadata: { ...metadata } }
    const answer = await things.put(metadata.name, again)
    expectStatus(answer, 200)
    expect(answer.text).toBe(before.text)
    expect((await things.get(metadata.name)).text).toBe(before.text)
  })

  test('C2-18 a patch that changes nothing keeps the version', async () => {
    const things = await api.things()
    const { metadata, spec } = await things.created()
    const answer = await things.patch(metadata.name, { spec })
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ metadata: { version: 0 } })
  })

  test('C2-20 an update that omits a field with its default value changes nothing', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ spec: { color: 'green' } })
    const updated = await things.updated(metadata.name, thing({ name: metadata.name }))
    expect(updated.metadata.version).toBe(0)
  })

  test('C2-21 an update that changes nothing is still rejected for another ETag or version', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    const otherEtag = await things.put(name, sentBack(made), { headers: { 'if-match': etagOf(made, 7) } })
    expectProblem(otherEtag, 412, 'PreconditionFailed')
    expectProblem(await things.put(name, sentBack(made, { metadata: { version: 7 } })), 409, 'VersionConflict')
  })

  test('C2-22 an update is compared with what another replica has stored since', async () => {
    const things = await api.things()
    const other = await api.replica()
    const first = await things.created({ spec: { note: 'a' } })
    const { name } = first.metadata
    const path = `${things.path}/${name}`
    expectStatus(await other.request('GET', path), 200)
    for (let round = 1; round <= 5; round++) {
      await things.updated(name, sentBack(first, { spec: { note: 'b' } }))
      const back = await other.request('PUT', path, { body: sentBack(first) })
      expectStatus(back, 200)
      expect(back.body).toMatchObject({ metadata: { version: round * 2 }, spec: { note: 'a' } })
    }
  })

  test('C2-133 PUT, PATCH and DELETE with If-None-Match: * are 412 for an object and 404 without one', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    const change = { spec: { note: 'new' } }
    const tryAll = (target: string, tag: string) => {
      const options = { headers: { 'if-none-match': tag } }
      return Promise.all([
        things.put(target, thing({ name: target, ...change }), options),
        things.patch(target, change, options),
        things.delete(target, options),
      ])
    }
    for (const tag of ['*', etagOf(made), `W/${etagOf(made)}`]) {
      for (const answer of await tryAll(name, tag)) expectProblem(answer, 412, 'PreconditionFailed')
    }
    expect(await things.read(name)).toEqual(made)
    for (const answer of await tryAll('nothing', '*')) expectProblem(answer, 404, 'NotFound')
    expectStatus(await things.patch(name, change, { headers: { 'if-none-match': etagOf(made, 7) } }), 200)
  })

  test('C2-56 a GET with the current ETag in If-None-Match is 304 without a body', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    const known = await things.get(name, { headers: { 'if-none-match': etagOf(made) } })
    expect(known).toMatchObject({ status: 304, text: '' })
    expect(known.headers).not.toHaveProperty('content-length')
    expectStatus(await things.get(name, { headers: { 'if-none-match': etagOf(made, 7) } }), 200)
  })
})
