import { expect, test } from 'vitest'
import { objectsWith, openApiPath, type OpenApiDocument } from './documents.ts'
import { expectStatus } from './request.ts'
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

  test('C1-32 C2-57 discovery has an ETag, and is not sent again to whoever knows it', async () => {
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

  test('C1-34 the documents of the API are listed', async () => {
    await api.things()
    const answer = await api.request('GET', '/openapi/v3')
    expectStatus(answer, 200)
    for (const apiVersion of [things, 'plugin.platform.run/v1alpha1']) {
      expect(answer.text).toContain(apiVersion)
    }
  })

  test('C1-35 S1-7 a group and version have an OpenAPI 3.1 document', async () => {
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

  test('C1-36 C2-58 a document has an ETag, and is not sent again to whoever knows it', async () => {
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

  test('C1-37 the API can be browsed', async () => {
    const answer = await api.request('GET', '/openapi', { headers: { accept: 'text/html' } })
    expectStatus(answer, 200)
    expect(answer.headers['content-type']).toMatch(/^text\/html/)
  })
})
