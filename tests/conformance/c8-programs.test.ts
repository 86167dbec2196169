import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packedSource } from '../end-to-end/packed-source.ts'
import { bind, expectSoon, person } from './people.ts'
import { another, install, installPackage, phaseIs } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

const base = '/apis/api.library.example.com/v1'
const console = '/apis/console.api.library.example.com/v1'
const packed = once(() => packedSource(join(import.meta.dirname, 'plugins/library.ts')))

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await installPackage(api, await packed()), 201)
    await phaseIs(api, { phase: 'Started' }, 'library')
  })

  test('C8-345 an app receives every request of its group, whatever the method and path', async () => {
    await installed()
    expect((await api.request('GET', `${base}/books/dune`)).body).toEqual({ name: 'dune', caller: 'admin' })
    const lent = await api.request('POST', `${base}/books/dune/loans`, { body: { to: 'ann' } })
    expect([lent.status, lent.body]).toEqual([201, { lent: { to: 'ann' } }])
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const path = `${base}/any/a%20b/where`
      expect((await api.request(method, path)).body).toEqual({ method, path })
    }
    expect((await api.request('GET', `${console}/x/y`)).body).toEqual({ by: 'admin', path: `${console}/x/y` })
    using opened = await api.connect(`${base}/talk`)
    opened.send('hello')
    expect(await opened.next()).toBe('heard hello')
  })

  test('C8-346 an app receives no request that the host serves itself, and none with a deeper path', async () => {
    await installed()
    const own = '/apis/uc.api.library.example.com/v1/notes'
    expect((await api.request('GET', own)).body).toMatchObject({ kind: 'NoteList' })
    expectProblem(await api.request('GET', '/apis/uc.api.library.example.com/v1/others'), 404, 'NotFound')
    expectStatus(await api.request('GET', `${base}/a/b/c/d`), 200)
    expectProblem(await api.request('GET', `${base}/a/b/c/d/e`), 404, 'NotFound')
    expectProblem(await api.request('GET', `${base}/books\\dune`), 400, 'BadRequest')
    expectProblem(await install(api, { definition: another('seven', { apps: ['other' as never] }) }), 422, 'Invalid')
  })

  test('C8-347 only explicit rules grant access to an app', async () => {
    await installed()
    const ann = await person(api)
    expectStatus(await ann.request('GET', `${base}/books`), 403)
    expectStatus(await api.request('GET', `${base}/books`, { as: 'anonymous' }), 401)
    await bind(api, 'library-read', [ann.name])
    await expectSoon(async () => expectStatus(await ann.request('GET', `${base}/books`), 200))
    expect((await ann.request('GET', `${base}/books/dune`)).body).toEqual({ name: 'dune', caller: ann.name })
    expectStatus(await ann.request('GET', `${base}/books/dune/pages/7`), 200)
    for (const path of ['/books/emma', '/books/emma/pages/7', '/other']) {
      expectStatus(await ann.request('GET', `${base}${path}`), 403)
    }
    expectStatus(await ann.request('DELETE', `${base}/books/dune`), 403)
    expectStatus(await ann.request('GET', `${console}/x`), 403)
  })

  test('C8-348 OpenAPI shows that an app of a plugin serves the group, without paths', async () => {
    await installed()
    const { body: index } = await api.request('GET', '/openapi/v3')
    expect((index as { readonly paths: object }).paths).toHaveProperty([base.slice(1)])
    const { body } = await api.request('GET', `/openapi/v3${base}`)
    expect(body).toMatchObject({
      paths: {},
      info: { description: expect.stringContaining('plugin library') as string },
    })
    expect((await api.request('GET', `/openapi${base}`)).text).toContain('plugin library')
  })
})
