import { expect, test } from 'vitest'
import { objectsWith, openApiPath, operationsOf, type OpenApiDocument } from './documents.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine } from './server.ts'

const things = 'test.example.com/v1alpha1'

onEachEngine((api) => {
  test('C1-30 discovery lists groups, versions and models in one document', async () => {
    const { spec } = await api.things()
    const answer = await api.request('GET', '/apis')
    expectStatus(answer, 200)
    expect(answer.text).toContain('"test.example.com"')
    expect(answer.text).toContain('v1alpha1')
    const models = objectsWith('plural', answer.body)
    expect(models).toContainEqual(expect.objectContaining({ plural: spec.plural, kind: spec.kind }))
    expect(models).toContainEqual(expect.objectContaining({ plural: 'models', kind: 'Model' }))
  })

  test('C1-31 discovery includes the core group', async () => {
    const { body } = await api.request('GET', '/apis')
    expect(objectsWith('plural', body)).toContainEqual(expect.objectContaining({ plural: 'roles', kind: 'Role' }))
  })

  test('C1-32 discovery has an ETag and answers 304 to a request with the current one', async () => {
    const { headers } = await api.request('GET', '/apis')
    const etag = String(headers.etag)
    expect(etag).toMatch(/^(W\/)?".+"$/)
    const known = await api.request('GET', '/apis', { headers: { 'if-none-match': etag } })
    expect(known).toMatchObject({ status: 304, text: '' })
    await api.model()
    const changed = await api.request('GET', '/apis', { headers: { 'if-none-match': etag } })
    expectStatus(changed, 200)
    expect(changed.headers.etag).not.toBe(etag)
  })

  test('C1-34 /openapi/v3 lists the OpenAPI documents', async () => {
    await api.things()
    const answer = await api.request('GET', '/openapi/v3')
    expectStatus(answer, 200)
    for (const apiVersion of [things, 'plugin.platform.run/v1alpha1']) {
      expect(answer.text).toContain(apiVersion)
    }
  })

  test('C1-35 S1-7 a group and version has its own OpenAPI 3.1 document with the schemas of its models', async () => {
    const { path } = await api.things()
    const answer = await api.request('GET', await openApiPath(api, things))
    expectStatus(answer, 200)
    const { openapi, paths, components } = answer.body as OpenApiDocument
    expect(openapi).toMatch(/^3\.1\./)
    expect(Object.keys(paths[path] ?? {})).toEqual(expect.arrayContaining(['get', 'post']))
    expect(Object.keys(paths[`${path}/{name}`] ?? {})).toEqual(
      expect.arrayContaining(['get', 'put', 'patch', 'delete']),
    )
    expect(Object.keys(components.schemas)).toContain('Thing')
    expect(Object.keys(paths).some((other) => other.startsWith('/api/v1alpha1'))).toBe(false)
  })

  test('C1-36 an OpenAPI document has an ETag and answers 304 to a request with the current one', async () => {
    await api.things()
    const path = await openApiPath(api, things)
    const { headers } = await api.request('GET', path)
    const etag = String(headers.etag)
    expect(etag).toMatch(/^(W\/)?".+"$/)
    const known = await api.request('GET', path, { headers: { 'if-none-match': etag } })
    expect(known).toMatchObject({ status: 304, text: '' })
    await api.model()
    const changed = await api.request('GET', path, { headers: { 'if-none-match': etag } })
    expectStatus(changed, 200)
    expect(changed.headers.etag).not.toBe(etag)
  })

  test("C1-52 the host's own endpoints are in the OpenAPI documents", async () => {
    const operations = await operationsOf(api)
    const lines = operations.map(({ document, method, path }) => `${document} ${method} ${path}`)
    expect(lines).toEqual(expect.arrayContaining(hostOperations))
  })

  test('C1-53 every method that an OpenAPI document lists is served', async () => {
    const { path } = await api.model({ statusSubresource: true })
    const operations = await operationsOf(api)
    expect(operations.map((one) => one.path)).toContain(`${path}/{name}/status`)
    for (const { method, path: at, dryRun } of operations) {
      const sent = at.replaceAll(/\{\w+\}/g, 'nobody') + (dryRun ? '?dryRun=true' : '')
      const answer = await api.request(method, sent, {
        headers: { origin: api.origin() },
        ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
      })
      expect(`${method} ${at} ${isServed(answer) ? 'is served' : answer.text}`).toBe(`${method} ${at} is served`)
    }
  })

  test('C1-54 a method that no OpenAPI document lists for a path is 405, with the listed methods in Allow', async () => {
    await api.model({ statusSubresource: true })
    const byPath = Map.groupBy(await operationsOf(api), ({ path }) => path)
    expect(byPath.size).toBeGreaterThan(20)
    for (const [path, listed] of byPath) {
      const methods = listed.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).toSorted()
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (methods.includes(method)) continue
        const answer = await api.request(method, path.replaceAll(/\{\w+\}/g, 'nobody'), {
          headers: { origin: api.origin() },
        })
        expectProblem(answer, 405, 'MethodNotAllowed')
        const allowed = String(answer.headers.allow).split(', ').toSorted()
        expect(`${method} ${path}: ${allowed.join()}`).toBe(`${method} ${path}: ${methods.join()}`)
      }
    }
  })

  test('C1-55 discovery lists verbs and the status sub-resource of a model only where they are served', async () => {
    await api.model({ statusSubresource: true })
    const operations = await operationsOf(api)
    const served = new Set(operations.map(({ method, path }) => `${method} ${path}`))
    const { body } = await api.request('GET', '/apis')
    for (const version of objectsWith('models', body)) {
      for (const { plural, verbs, statusSubresource } of version['models'] as unknown as readonly Discovered[]) {
        const path = `${version['path'] as string}/${plural}`
        expect(`${path} ${served.has(`POST ${path}`)}`).toBe(`${path} ${verbs.includes('create')}`)
        const hasStatus = served.has(`PUT ${path}/{name}/status`)
        expect(`${path} ${hasStatus}`).toBe(`${path} ${statusSubresource}`)
        const { status } = await api.request('PUT', `${path}/nobody/status`, { body: {} })
        expect(`${path} ${status !== 404 || statusSubresource}`).toBe(`${path} ${statusSubresource}`)
      }
    }
    const tokens = '/apis/security.platform.run/v1alpha1/personalaccesstokens'
    expect(served.has(`POST ${tokens}`)).toBe(false)
    expect((await api.request('POST', tokens, { body: {} })).headers.allow).toBe('GET, HEAD, DELETE')
  })

  test('C1-56 a field with a default is never required in the schema of a request', async () => {
    const spec = { type: 'object', required: ['size'], properties: { size: { type: 'integer', default: 3 } } }
    const { spec: model } = await api.model({
      indexes: [],
      composites: [],
      versions: [
        {
          name: 'v1alpha1',
          schema: { properties: { spec, status: { $ref: '#/$defs/Spec' } }, $defs: { Spec: spec } },
        },
      ],
    })
    const { body } = await api.request('GET', await openApiPath(api, things))
    const { schemas } = (body as OpenApiDocument).components
    expect(schemas[`${model.kind}Input`]).toMatchObject({ properties: { spec: { required: [] } } })
    expect(schemas[`${model.kind}Input.Spec`]).toMatchObject({ required: [] })
    const inputs = Object.entries(schemas).filter(([name]) => name.includes('Input'))
    expect(objectsWith('default', inputs)).toEqual([])
    expect(JSON.stringify(schemas[model.kind])).toContain('"default":3')
  })

  test('C1-37 the API can be browsed at /openapi', async () => {
    const answer = await api.request('GET', '/openapi', { headers: { accept: 'text/html' } })
    expectStatus(answer, 200)
    expect(answer.headers['content-type']).toMatch(/^text\/html/)
  })
})

interface Discovered {
  readonly plural: string
  readonly verbs: readonly string[]
  readonly statusSubresource: boolean
}

/** A 404 for the object that the request names still means that the method is served. */
function isServed({ status, body }: Answer): boolean {
  const { reason, detail } = (body ?? {}) as { readonly reason?: string; readonly detail?: string }
  if (status === 405) return false
  return status !== 404 || (reason === 'NotFound' && !/there is nothing at|have no sub-resource/.test(detail ?? ''))
}

const administration = '/apis/console.api.platform.run/v1alpha1'
const forUsers = '/apis/uc.api.platform.run/v1alpha1'
const forAll = '/apis/api.platform.run/v1alpha1'

const hostOperations = [
  '/host GET /livez',
  '/host GET /readyz',
  '/auth POST /auth/sessions',
  '/auth GET /auth/sessions',
  '/auth DELETE /auth/sessions/{id}',
  '/auth PUT /auth/password',
  '/auth GET /auth/login',
  '/auth POST /auth/login',
  '/auth GET /auth/setup',
  '/auth POST /auth/setup',
  '/auth GET /auth/oidc',
  '/auth GET /auth/oidc/{provider}',
  '/auth POST /auth/oidc/{provider}',
  '/auth GET /auth/oidc/{provider}/callback',
  '/api/v1alpha1 PUT /api/v1alpha1/users/{name}/password',
  ...['GET', 'POST', 'DELETE'].map((method) => `/api/v1alpha1 ${method} /api/v1alpha1/users/{name}/oidcidentities`),
  ...['GET', 'DELETE'].map((method) => `/api/v1alpha1 ${method} /api/v1alpha1/users/{name}/sessions`),
  `${forAll} GET ${forAll}/sessions`,
  `${forAll} GET ${forAll}/users/-`,
  `${forAll} PATCH ${forAll}/users/-`,
  `${forAll} GET ${forAll}/users/-/permissions`,
  `${forAll} POST ${forAll}/accessreviews`,
  `${forAll} POST ${forAll}/batches`,
  `${forAll} POST ${forAll}/whocan`,
  `${forUsers} GET ${forUsers}/personalaccesstokens`,
  `${forUsers} POST ${forUsers}/personalaccesstokens`,
  `${forUsers} DELETE ${forUsers}/personalaccesstokens/{name}`,
  `${administration} GET ${administration}/overview`,
  `${administration} POST ${administration}/plugins/-/packages`,
  ...['rollback', 'uninstall', 'purge', 'restart'].map(
    (action) => `${administration} POST ${administration}/plugins/{name}/${action}`,
  ),
  `${administration} GET ${administration}/plugins/{name}/logs`,
]
