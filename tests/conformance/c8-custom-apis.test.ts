import { once as firstOf } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PluginDefinition, RouteDeclaration } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { packedSource } from '../end-to-end/packed-source.ts'
import { bind, core, createRole, expectSoon, person } from './people.ts'
import { another, install, installPackage, phaseIs, todoGroup, todos } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

const tenMebibytes = 10 * 1024 * 1024
const talk = '/apis/api.talking.example.com/v1'
const talking = once(() => packedSource(join(import.meta.dirname, 'plugins/talking.ts')))

/** Echoes request headers, counts body bytes, sends forbidden response headers, and forwards requests to the host. */
const answer = `async (request, response, ask) => {
  const say = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
  if (request.url.includes('/echo')) return say({ headers: request.headers })
  if (request.url.includes('/forbidden')) {
    const names = ['Clear-Site-Data', 'Service-Worker-Allowed', 'Strict-Transport-Security', 'Access-Control-Allow-Origin',
      'Access-Control-Allow-Credentials', 'Access-Control-Expose-Headers', 'X-Own', 'X-Other', 'Link']
    for (const name of names) response.setHeader(name, 'said')
    response.setHeader('Set-Cookie', ['a=1', 'b=2'])
    response.setHeader('X-Content-Type-Options', 'none')
    response.setHeader('Content-Security-Policy', "default-src *")
    return response.setHeader('content-type', 'text/html').end('<script></script>')
  }
  let bytes = 0
  const chunks = []
  for await (const chunk of request) {
    bytes += chunk.length
    chunks.push(chunk)
  }
  if (request.url.includes('/count')) return say({ bytes })
  const { path, ...options } = JSON.parse(Buffer.concat(chunks).toString())
  return say(await ask(path, options))
}`

const routesOf = (group: string): readonly RouteDeclaration[] => {
  const base = `/apis/api.${group}/v1alpha1`
  return [
    { audience: 'public', method: 'GET', path: `${base}/echo` },
    { audience: 'public', method: 'GET', path: `${base}/forbidden`, responseHeaders: ['x-own'] },
    { audience: 'public', method: 'POST', path: `${base}/ask` },
    { audience: 'public', method: 'POST', path: `${base}/count` },
    { audience: 'public', method: 'POST', path: `${base}/count-few`, maxBody: 1000 },
    { audience: 'public', method: 'POST', path: `${base}/count-many`, maxBody: tenMebibytes + 1000 },
  ]
}
const base = `/apis/api.${todoGroup}/v1alpha1`
const echo = `${base}/echo`

interface Told {
  readonly headers: Readonly<Record<string, string>>
}

onEachEngine((api) => {
  const installed = once(async () => {
    const definition = { ...another('todo'), models: [], routes: routesOf(todoGroup) }
    const other = another('other', { routes: routesOf('other.example.com') })
    for (const one of [withTodos(definition), other]) {
      expectStatus(await install(api, { definition: one, answer }), 201)
      await phaseIs(api, { phase: 'Started' }, one.name)
    }
  })
  const told = async (options?: Parameters<typeof api.request>[2]) => {
    await installed()
    const answered = await api.request('GET', echo, options)
    expectStatus(answered, 200)
    return { ...(answered.body as Told), requestId: answered.headers['pergola-request-id'] }
  }
  /** The status of a request that the plugin sends to the host with this caller token. */
  const askedBy = async (at: string, token: string, sent: object) => {
    const body = { 'pergola-caller-token': token, ...sent }
    const answered = await api.request('POST', `/apis/api.${at}/v1alpha1/ask`, { body })
    expectStatus(answered, 200)
    return (answered.body as { readonly status: number }).status
  }

  describe('headers and bodies', () => {
    test("C8-320 a plugin receives the client's headers except credentials, reserved and hop-by-hop headers", async () => {
      const kept = { accept: 'text/x-own', 'x-own': '1', 'accept-language': 'de', 'x-forwarded-for': '10.1.2.3' }
      const hidden = {
        cookie: 'a=b',
        'proxy-authorization': 'Basic eDp4',
        'proxy-anything': '1',
        'pergola-caller': 'admin',
        'pergola-anything': '1',
        connection: 'keep-alive, X-Hop',
        'x-hop': '1',
        te: 'trailers',
        'keep-alive': 'timeout=5',
      }
      const { headers } = await told({ headers: { ...kept, ...hidden } })
      expect(headers).toMatchObject(kept)
      expect(headers['authorization']).toMatch(/^Bearer pgp_/)
      expect(headers['pergola-caller']).toBe('admin')
      const others = Object.keys(hidden).filter((name) => name !== 'pergola-caller' && name !== 'connection')
      for (const name of others) expect(headers).not.toHaveProperty(name)
      expect(headers['connection'] ?? '').not.toContain('X-Hop')
    })

    test("C8-321 a plugin receives the caller's name and the request id; the name is absent for an anonymous caller", async () => {
      const reads = { apiGroups: [`api.${todoGroup}`], resources: ['echo'], verbs: ['list'] }
      const role = await createRole(api, { rules: [reads], aggregatesTo: ['anonymous'] })
      const ann = await person(api)
      await installed()
      await expectSoon(async () => expectStatus(await api.request('GET', echo, { as: 'anonymous' }), 200))
      const { headers, requestId } = await told({ token: ann.token })
      expect([headers['pergola-caller'], headers['pergola-request-id']]).toEqual([ann.name, requestId])
      const { headers: anonymous } = await told({ as: 'anonymous', headers: { 'pergola-caller': 'admin' } })
      expect(anonymous).not.toHaveProperty('pergola-caller')
      expectStatus(await api.request('DELETE', `${core}/roles/${role}`), 200)
    })

    test('C8-322 with a caller token a plugin has only the rights that caller and plugin share', async () => {
      await installed()
      const rules = [
        { apiGroups: [todoGroup], resources: ['todos'], verbs: ['list'] },
        { apiGroups: [''], resources: ['roles'], verbs: ['list'] },
        { apiGroups: [`api.${todoGroup}`], resources: ['echo'], verbs: ['list'] },
      ]
      const ann = await person(api, { roles: [await createRole(api, { rules })] })
      await expectSoon(async () => expectStatus(await ann.request('GET', `${core}/roles`), 200))
      const { headers } = await told({ token: ann.token })
      const token = headers['pergola-caller-token'] ?? ''
      expect(await askedBy(todoGroup, token, { path: todos })).toBe(200)
      // First a right that only the caller has, then a right that only the plugin has.
      expect(await askedBy(todoGroup, token, { path: `${core}/roles` })).toBe(403)
      expect(await askedBy(todoGroup, token, { path: todos, method: 'POST', body: { spec: {} } })).toBe(403)
    })

    test('C8-323 a caller token is 401 from another plugin and from a client', async () => {
      const { headers } = await told()
      const token = headers['pergola-caller-token'] ?? ''
      expect(await askedBy(todoGroup, token, { path: todos })).toBe(200)
      expect(await askedBy('other.example.com', token, { path: todos })).toBe(401)
      expectStatus(await api.request('GET', todos, { token }), 401)
    })

    test("C8-324 the host passes on known headers of a plugin's response and those that its route names", async () => {
      await installed()
      const { headers } = await api.request('GET', `${base}/forbidden`)
      const said = Object.entries(headers).flatMap(([name, value]) => (value === 'said' ? [name] : []))
      expect(said.toSorted()).toEqual(['link', 'x-own'])
      expect(headers).not.toHaveProperty('set-cookie')
    })

    test('C8-325 every response of a plugin is nosniff and sandboxed, whatever the plugin sets', async () => {
      await installed()
      const { headers } = await api.request('GET', `${base}/forbidden`)
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' })
      expect(headers['content-type']).toBe('text/html')
    })

    test('C8-326 a request body has at most 10 MiB, unless the route says otherwise', async () => {
      await installed()
      const post = (route: string, bytes: number) =>
        api.request('POST', `${base}/${route}`, { body: Buffer.alloc(bytes), headers: { 'content-type': 'x/y' } })
      expect((await post('count', tenMebibytes)).body).toEqual({ bytes: tenMebibytes })
      expectProblem(await post('count', tenMebibytes + 1), 413, 'PayloadTooLarge')
      expect((await post('count-few', 1000)).body).toEqual({ bytes: 1000 })
      expectProblem(await post('count-few', 1001), 413, 'PayloadTooLarge')
      expect((await post('count-many', tenMebibytes + 1000)).body).toEqual({ bytes: tenMebibytes + 1000 })
    })
  })

  describe('invalid routes of a package', () => {
    const expectRefused = async (parts: Partial<PluginDefinition>, word: string) => {
      const answered = await install(api, { definition: another('five', parts) })
      expectProblem(answered, 422, 'Invalid')
      expect(answered.text).toContain(word)
    }
    const at = (path: string, more: Partial<RouteDeclaration> = {}): RouteDeclaration => {
      return { audience: 'public', method: 'GET', path: `/apis/api.five.example.com/v1${path}`, ...more }
    }

    test('C8-392 a package whose route names cookies, CORS or policies in responseHeaders is 422', async () => {
      const route = { audience: 'public' as const, method: 'GET' as const, path: '/apis/api.five.example.com/v1/a' }
      for (const name of ['set-cookie', 'access-control-allow-origin', 'referrer-policy', 'x-accel-redirect']) {
        await expectRefused({ routes: [{ ...route, responseHeaders: [name] }] }, `names ${name} in responseHeaders`)
      }
    })

    test('C8-330 S4.2-5 a route with a wildcard, or with a parameter as resource or sub-resource, is 422', async () => {
      await expectRefused({ routes: [at('/things/*')] }, 'wildcard')
      await expectRefused({ routes: [at('/things/{name}/part*')] }, 'wildcard')
      await expectRefused({ routes: [at('/{resource}')] }, 'no resource')
      await expectRefused({ routes: [at('/things/{name}/{part}')] }, 'sub-resource')
      await expectRefused({ routes: [at('/things/a b')] }, 'neither a literal nor a parameter')
    })

    test('C8-331 S4.2-5 a route outside the group of its audience is 422', async () => {
      const elsewhere = ['/apis/api.six.example.com/v1/x', '/apis/five.example.com/v1/x', '/livez']
      const others = [...elsewhere, '/apis/uc.api.five.example.com/v1/x']
      for (const path of others) await expectRefused({ routes: [at('', { path })] }, "in none of the plugin's groups")
    })

    test('C8-332 routes, or a route and owned objects, that one request could match are 422', async () => {
      await expectRefused({ routes: [at('/things/{name}'), at('/things/{other}')] }, 'could mean')
      await expectRefused({ routes: [at('/things/-/a/{part}'), at('/things/{name}/a/all')] }, 'could mean')
      const uc = at('', { audience: 'uc', path: '/apis/uc.api.five.example.com/v1/things/{name}', method: 'PUT' })
      const owned = [{ group: 'five.example.com', plural: 'things', path: 'spec.owner' }]
      await expectRefused({ routes: [uc], owned }, "people's own things")
      const fine = [
        at('/things/{name}'),
        at('/things/-'),
        at('/things/{name}', { method: 'PUT' }),
        at('/things/-', { stream: true }),
      ]
      expectStatus(await install(api, { definition: another('five', { routes: fine }) }), 201)
    })
  })

  describe('routes of the SDK', () => {
    const withTalking = once(async () => {
      expectStatus(await installPackage(api, await talking()), 201)
      await phaseIs(api, { phase: 'Started' }, 'talking')
    })

    test('S4.2-1 a request is routed by method and path, with the parameters of the path', async () => {
      await withTalking()
      expect((await api.request('GET', `${talk}/rooms/-/count`)).body).toEqual({ rooms: 1 })
      expect((await api.request('GET', `${talk}/rooms/-/parts/window`)).body).toEqual({ part: 'window' })
      expectStatus(await api.request('GET', `${talk}/seen`), 200)
      expectProblem(await api.request('PUT', `${talk}/rooms/-/count`), 405, 'MethodNotAllowed')
      expectProblem(await api.request('GET', `${talk}/rooms/-/weight`), 404, 'NotFound')
    })

    test('S4.2-2 a route accepts the content types that it names; others are 415', async () => {
      await withTalking()
      const post = (type: string) =>
        api.request('POST', `${talk}/lines`, { body: 'a,b', headers: { 'content-type': type } })
      const taken = await post('text/csv; charset=utf-8')
      expect([taken.status, taken.text]).toEqual([200, 'a,b'])
      expectProblem(await post('application/json'), 415, 'UnsupportedMediaType')
    })

    test('C8-328 request and response bodies are streamed unchanged', async () => {
      await withTalking()
      const { hostname, port } = new URL(api.origin())
      const headers = { 'content-type': 'text/csv', authorization: await adminAuthorization() }
      const request = httpRequest({ hostname, port, method: 'POST', path: `${talk}/lines`, headers, agent: false })
      request.write('first')
      const answered = firstOf(request, 'response').then(([response]) => response as IncomingMessage)
      const heard = async () => String((await firstOf(await answered, 'data'))[0])
      const next = () => Promise.race([heard(), sleep(5_000, 'nothing')])
      expect(await next()).toBe('first')
      request.write('second')
      expect(await next()).toBe('second')
      request.end()
      await firstOf(await answered, 'end')
    })
    /** The authorization header of a super administrator. */
    const adminAuthorization = async () => {
      const boss = await person(api, { roles: ['super-administrator'] })
      await expectSoon(async () => expectStatus(await boss.request('GET', `${core}/users`), 200))
      return `Bearer ${boss.token}`
    }

    test('C8-333 S4.2-5 S4.2-10 the rule of a route allows only its literal name; of seven segments, the paths below its literal prefix', async () => {
      await withTalking()
      const ann = await person(api)
      await bind(api, 'talking-count', [ann.name])
      await expectSoon(async () => expectStatus(await ann.request('GET', `${talk}/rooms/-/count`), 200))
      expectStatus(await ann.request('GET', `${talk}/rooms/hall/count`), 403)
      expectStatus(await ann.request('GET', `${talk}/rooms/-/parts/all`), 200)
      expectStatus(await ann.request('GET', `${talk}/rooms/hall/parts/all`), 403)
      expectStatus(await ann.request('DELETE', `${talk}/rooms/-/parts/all`), 403)
      const { body } = await api.request('GET', `${core}/roles/talking-count`)
      expect((body as { readonly rules: readonly object[] }).rules).toEqual([
        {
          apiGroups: ['api.talking.example.com'],
          resources: ['talking/rooms/count'],
          resourceNames: ['-'],
          verbs: ['get'],
        },
        { nonResourceURLs: [`${talk}/rooms/-/parts/*`], verbs: ['get'] },
      ])
    })
  })
})

/** Adds the model of the usual test plugin, so that the plugin has objects to request. */
function withTodos(definition: PluginDefinition): PluginDefinition {
  const schema = { properties: { spec: { type: 'object' } } }
  const model = { group: todoGroup, kind: 'Todo', singular: 'todo', plural: 'todos', check: false }
  return { ...definition, models: [{ ...model, versions: [{ name: 'v1alpha1', schema }] }] }
}
