import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { jsonPatch } from './collection.ts'
import { freshModel, modelName, modelsPath } from './models.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine } from './server.ts'

const detailOf = ({ body }: Answer) => (body as { readonly detail: string }).detail

/** The status of a request with these header lines, which may repeat a name. */
function statusOf(url: string, lines: readonly string[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers: [...lines, 'host', new URL(url).host] }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end()
  })
}

onEachEngine((api) => {
  test('C1-450 OpenAPI documents are of version 3.1.0', async () => {
    expect((await api.request('GET', '/openapi/v3/api/v1alpha1')).body).toMatchObject({ openapi: '3.1.0' })
  })

  test('C1-451 GET on the status sub-resource is get on `<plural>/status`, and returns the object', async () => {
    const things = await api.model({ statusSubresource: true })
    const made = await things.created()
    const { name } = made.metadata
    const answer = await api.request('GET', `${things.path}/${name}/status`)
    expectStatus(answer, 200)
    expect(answer.body).toEqual(made)
    const head = await api.request('DELETE', `${things.path}/${name}/status`)
    expectProblem(head, 405, 'MethodNotAllowed')
    expect(head.headers['allow']).toBe('GET, HEAD, PUT, PATCH')
  })

  test('C1-452 ?watch=true is 400 and says how to watch', async () => {
    const things = await api.things()
    const answer = await api.request('GET', `${things.path}?watch=true`)
    expectProblem(answer, 400, 'BadRequest')
    expect(detailOf(answer)).toMatch(/WebSocket.*Accept: text\/event-stream/)
  })

  test('C1-453 an unknown model near a known one names it', async () => {
    const { path, spec } = await api.model({ kind: 'Heron', singular: 'heron', plural: 'herons' })
    for (const wrong of ['heron', 'Heron', 'herrons']) {
      const answer = await api.request('GET', path.replace(spec.plural, wrong))
      expectProblem(answer, 404, 'ModelNotFound')
      expect(detailOf(answer)).toContain('did you mean herons?')
    }
  })

  test('C1-454 a model that is declared twice is 409 and names the existing one', async () => {
    const spec = freshModel()
    expectStatus(await api.request('POST', modelsPath, { body: { spec } }), 201)
    const again = await api.request('POST', modelsPath, { body: { spec } })
    expectProblem(again, 409, 'AlreadyExists')
    expect(detailOf(again)).toContain(`"${modelName(spec)}" exists already; change it with PUT or PATCH`)
  })

  test('C1-455 two Authorization headers are 400', async () => {
    const url = `${api.origin()}/api/v1alpha1/roles`
    const token = await api.signIn('admin')
    const line = ['authorization', `Bearer ${token}`]
    expect(await statusOf(url, line)).toBe(200)
    expect(await statusOf(url, [...line, ...line])).toBe(400)
    expect(await statusOf(url, [...line, 'Authorization', 'Bearer other'])).toBe(400)
  })

  test('C1-456 OPTIONS is 405 with the methods that the path takes', async () => {
    const things = await api.things()
    for (const [path, allow] of [
      [things.path, 'GET, HEAD, POST, DELETE'],
      [`${things.path}/a`, 'GET, HEAD, PUT, PATCH, DELETE'],
    ] as const) {
      const answer = await api.request('OPTIONS', path)
      expectProblem(answer, 405, 'MethodNotAllowed')
      expect(answer.headers['allow']).toBe(allow)
    }
  })

  test('C2-452 pending counts all selected objects that finalizers keep', async () => {
    const things = await api.model()
    await things.created({ metadata: { finalizers: ['a.example/b'] } })
    await things.created()
    for (const deleted of [1, 0]) {
      const answer = await api.request('DELETE', `${things.path}?all=true`)
      expect(answer.body).toEqual({ deleted, pending: 1, refused: 0, remaining: false })
    }
  })

  test('C2-453 a failed `test` of a JSON Patch is 412 `PreconditionFailed` and stores nothing', async () => {
    const things = await api.things()
    const made = await things.created({ spec: { note: 'a' } })
    const patch = [
      { op: 'replace', path: '/spec/city', value: 'Oslo' },
      { op: 'test', path: '/spec/note', value: 'b' },
    ]
    const answer = await things.patch(made.metadata.name, patch, { headers: { 'content-type': jsonPatch } })
    expectProblem(answer, 412, 'PreconditionFailed')
    expect(answer.body).toMatchObject({ errors: [{ pointer: '/1', rule: 'patch' }] })
    expect(await things.read(made.metadata.name)).toEqual(made)
  })

  test('C5-42 a conflict by another uid contains the state of the stored object', async () => {
    const things = await api.things()
    const { name, uid } = (await things.created()).metadata
    const other = '01890000-0000-7000-8000-000000000000'
    const answer = await things.patch(name, { metadata: { uid: other } })
    expectProblem(answer, 409, 'VersionConflict')
    expect(answer.body).toMatchObject({ stored: { uid, version: 0 } })
  })

  test('C4-454 a time without an offset is 422 and shows one with it', async () => {
    const things = await api.things()
    const answer = await things.create({ spec: { wakes: '07:30:00' } })
    expectProblem(answer, 422, 'Invalid')
    expect(detailOf(answer)).toMatch(/with an offset, such as 07:30:00Z or 07:30:00\+02:00/)
  })
})
