import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { core, createRole, expectSoon, login, person } from '../conformance/people.ts'
import { expectStatus } from '../conformance/request.ts'
import { onEachEngine, once } from '../conformance/server.ts'
import { createVault, sendRaw } from './attack.ts'

/** Headers that other proxies and frameworks trust. */
const spoofed: readonly Readonly<Record<string, string>>[] = [
  { 'x-remote-user': 'admin' },
  { 'x-forwarded-user': 'admin' },
  { 'x-forwarded-email': 'admin@example.com' },
  { 'x-auth-request-user': 'admin' },
  { 'x-webauth-user': 'admin' },
  { remote_user: 'admin' },
  { 'remote-user': 'admin' },
  { 'x-user': 'admin', 'x-roles': 'super-administrator' },
  { 'x-remote-group': 'system:masters' },
  { 'impersonate-user': 'admin' },
  { 'pergola-caller': 'admin' },
  { 'pergola-caller-token': 'admin' },
  { 'pergola-user': 'admin' },
  { 'x-forwarded-for': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1;host=localhost;proto=https' },
  { 'x-real-ip': '127.0.0.1' },
  { 'x-original-url': '/livez' },
  { 'x-rewrite-url': '/livez' },
  { 'x-original-uri': '/livez' },
  { 'x-forwarded-uri': '/livez' },
  { 'x-forwarded-path': '/livez' },
  { 'x-forwarded-prefix': '/livez' },
  { 'x-accel-redirect': '/livez' },
]

/** Other spellings of the vault's path; `:group`, `:plural` and `:name` are replaced by its own. */
const paths: readonly string[] = [
  '/apis/:group/v1alpha1/:plural/:name/',
  '//apis/:group/v1alpha1/:plural/:name',
  '/apis//:group/v1alpha1/:plural/:name',
  '/apis/:group/v1alpha1//:plural/:name',
  '/livez/../apis/:group/v1alpha1/:plural/:name',
  '/livez/%2e%2e/apis/:group/v1alpha1/:plural/:name',
  '/livez/%252e%252e/apis/:group/v1alpha1/:plural/:name',
  '/livez/..%2fapis/:group/v1alpha1/:plural/:name',
  '/livez/..;/apis/:group/v1alpha1/:plural/:name',
  '/livez;/apis/:group/v1alpha1/:plural/:name',
  '/livez%2f..%2fapis%2f:group%2fv1alpha1%2f:plural%2f:name',
  '/livez?/apis/:group/v1alpha1/:plural/:name',
  '/livez%3f/apis/:group/v1alpha1/:plural/:name',
  '/livez%23/apis/:group/v1alpha1/:plural/:name',
  '/./apis/:group/v1alpha1/:plural/:name',
  '/%2e/apis/:group/v1alpha1/:plural/:name',
  '/apis/:group/v1alpha1/:plural%2f:name',
  '/apis/:group/v1alpha1/:plural%252f:name',
  '/apis/:group/v1alpha1/:plural%5c:name',
  '/apis/:group/v1alpha1/:plural\\:name',
  '/apis/:group/v1alpha1/:plural/:name%00',
  '/apis/:group/v1alpha1/:plural/:name%20',
  '/apis/:group/v1alpha1/:plural/:name%2500',
  '/apis/:group/v1alpha1/:plural/%c0%ae%c0%ae/:name',
  '/apis/:group/v1alpha1/:plural/%e0%80%af/:name',
  '/apis/:group/v1alpha1/:plural/%f0%80%80%af:name',
  '/apis/:group/v1alpha1/:plural/:name%c0%80',
  '/APIS/:group/v1alpha1/:plural/:name',
  '/apis/:group/V1ALPHA1/:plural/:name',
  '/apis/:group/v1alpha1/:PLURAL/:name',
  '/apis/:GROUP/v1alpha1/:plural/:name',
  '/api/v1alpha1/:plural/:name',
  '/apis/:group/v1alpha1/:plural/:name/status',
  '/apis/:group/v1alpha1/:plural/:name/x/y',
  '/apis/:group/v1alpha1/:plural/-/:name',
  '/apis/*/v1alpha1/:plural/:name',
  '/apis/:group/v1alpha1/*/:name',
  'http://127.0.0.1/apis/:group/v1alpha1/:plural/:name',
  'http://user:password@127.0.0.1/apis/:group/v1alpha1/:plural/:name',
  '/livez/apis/:group/v1alpha1/:plural/:name',
  '/%61pis/:group/v1alpha1/:plural/:name',
]

onEachEngine((api) => {
  const scene = once(async () => {
    const vault = await createVault(api)
    const ann = await person(api)
    return { vault, ann, secret: (await api.request('GET', vault.path)).text }
  })

  describe('headers that claim an identity or another path', () => {
    for (const headers of spoofed) {
      test(Object.entries(headers).join(' ').replaceAll(',', ': '), async () => {
        const { vault, ann } = await scene()
        expectStatus(await api.request('GET', vault.path, { as: 'anonymous', headers }), 401)
        expectStatus(await ann.request('GET', vault.path, { headers }), 403)
        expectStatus(await ann.request('DELETE', vault.path, { headers }), 403)
        expectStatus(await api.request('GET', vault.path), 200)
      })
    }
  })

  describe('a token in the URL', () => {
    test('a token as the user name of an absolute URL is ignored', async () => {
      const { vault } = await scene()
      const { token } = await person(api, { roles: ['super-administrator'] })
      const target = `http://${token}@${new URL(api.origin()).host}${vault.path}`
      expect((await sendRaw(api.origin(), { method: 'GET', target })).status).toBe(401)
    })
  })

  describe('method override', () => {
    const ways: readonly (readonly [what: string, headers: Record<string, string>, query: string, body: object])[] = [
      ['x-http-method-override', { 'x-http-method-override': 'DELETE' }, '', {}],
      ['x-http-method', { 'x-http-method': 'DELETE' }, '', {}],
      ['x-method-override', { 'x-method-override': 'DELETE' }, '', {}],
      ['a query parameter', {}, '?_method=DELETE', {}],
      ['a field of the body', {}, '', { _method: 'DELETE' }],
    ]
    for (const [what, headers, query, body] of ways) {
      test(`${what} deletes nothing`, async () => {
        const { vault } = await scene()
        const { group, plural } = vault.things.spec
        const rule = { apiGroups: [group], resources: [plural], verbs: ['get', 'create', 'list', 'update'] }
        const ann = await person(api, { roles: [await createRole(api, { rules: [rule] })] })
        await expectSoon(async () => expectStatus(await ann.request('GET', vault.path), 200))
        for (const method of ['GET', 'POST']) {
          for (const path of [vault.path, vault.things.path]) {
            await ann.request(method, path + query, { headers, ...(method === 'POST' && { body }) })
          }
        }
        expectStatus(await api.request('GET', vault.path), 200)
      })
    }
    test('unsupported methods do not return the object', async () => {
      const { vault, secret } = await scene()
      for (const method of ['TRACE', 'OPTIONS', 'PROPFIND', 'QUERY', 'LINK', 'PURGE', 'MOVE']) {
        const answer = await sendRaw(api.origin(), { method, target: vault.path })
        expect(answer.status, method).toBeGreaterThanOrEqual(method === 'OPTIONS' ? 200 : 400)
        expect(answer.text).not.toContain(secret)
      }
    })
  })

  describe('other spellings of the same path', () => {
    for (const path of paths) {
      test(path, async () => {
        const { vault, ann, secret } = await scene()
        const { group, plural } = vault.things.spec
        const target = path
          .replace(':GROUP', group.toUpperCase())
          .replace(':PLURAL', plural.toUpperCase())
          .replace(':group', group)
          .replace(':plural', plural)
          .replace(':name', vault.path.split('/').at(-1) ?? '')
        for (const headers of [{}, { authorization: `Bearer ${ann.token}` }]) {
          const answer = await sendRaw(api.origin(), { method: 'GET', target, headers })
          expect(answer.text).not.toContain(secret)
          const { status } = await sendRaw(api.origin(), { method: 'DELETE', target, headers })
          expect(status).toBeGreaterThanOrEqual(400)
        }
        expectStatus(await api.request('GET', vault.path), 200)
      })
    }
    test('path segments named like members of Object.prototype are 404 or 405', async () => {
      const group = '/apis/api.platform.run/v1alpha1'
      for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          for (const path of [`${group}/${name}`, `/${name}`, `/auth/${name}`, `/openapi/v3/${name}`]) {
            const headers = { origin: api.origin() }
            const { status } = await api.request(method, path, { headers, ...(method === 'POST' && { body: {} }) })
            expect([404, 405], `${method} ${path}`).toContain(status)
          }
        }
      }
    })
  })

  describe('request smuggling', () => {
    const bytes = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n`
    const hidden = (path: string) => bytes(`GET ${path} HTTP/1.1`, 'Host: a', '', '')
    const ways: readonly (readonly [what: string, lines: (path: string) => string])[] = [
      [
        'Content-Length and a chunked body',
        (path) =>
          bytes(
            'POST /auth/sessions HTTP/1.1',
            'Host: a',
            'Content-Length: 4',
            'Transfer-Encoding: chunked',
            '',
            '0',
            '',
          ) + hidden(path),
      ],
      [
        'two Content-Length headers',
        (path) =>
          bytes('POST /auth/sessions HTTP/1.1', 'Host: a', 'Content-Length: 0', 'Content-Length: 60', '') +
          hidden(path),
      ],
      [
        'a misspelled Transfer-Encoding',
        (path) =>
          bytes(
            'POST /auth/sessions HTTP/1.1',
            'Host: a',
            'Transfer-Encoding: xchunked',
            'Content-Length: 3',
            '',
            '0',
          ) + hidden(path),
      ],
      ['a bare line feed in a header', (path) => `GET /livez HTTP/1.1\r\nHost: a\r\nX: a\n\n${hidden(path)}`],
    ]
    for (const [what, lines] of ways) {
      test(what, async () => {
        const { vault, secret } = await scene()
        const { hostname, port } = new URL(api.origin())
        const socket = connect(Number(port), hostname)
        socket.end(lines(vault.path))
        const answered = await text(socket).catch(() => '')
        expect(answered).not.toContain(secret)
      })
    }
  })

  describe('cross-site requests with a session cookie', () => {
    const cookieOf = once(async () => {
      const chief = await person(api, { hasPassword: true, roles: ['super-administrator'] })
      const answer = await login(api, { username: chief.name })
      expectStatus(answer, 201)
      return String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? ''
    })
    const host = () => new URL(api.origin())
    const sites: readonly (readonly [what: string, headers: () => Record<string, string>])[] = [
      ['a sibling sub-domain', () => ({ origin: 'https://evil.example.com', 'sec-fetch-site': 'same-site' })],
      ['a sibling port', () => ({ origin: `http://127.0.0.1:${Number(host().port) + 1}` })],
      ['the same host over https', () => ({ origin: `https://${host().host}` })],
      ['the same host with a suffix', () => ({ origin: `${api.origin()}.evil.example` })],
      ['the same host as a user name', () => ({ origin: `${api.origin()}@evil.example` })],
      ['a page without an origin', () => ({ origin: 'null' })],
      [
        'another site that claims to navigate',
        () => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }),
      ],
      ['Sec-Fetch-Site: none', () => ({ 'sec-fetch-site': 'none' })],
      ['an old browser without Origin and Sec-Fetch-Site', () => ({})],
      ['our own page, only by Referer', () => ({ referer: `${api.origin()}/console` })],
      ['a form, which needs no preflight', () => ({ 'content-type': 'text/plain', origin: 'https://evil.example' })],
    ]
    for (const [what, headers] of sites) {
      test(what, async () => {
        const cookie = await cookieOf()
        const sent = (method: string, path: string, body?: object) =>
          api.request(method, path, { as: 'anonymous', headers: { ...headers(), cookie }, ...(body && { body }) })
        const role = { metadata: { name: 'cross-site' }, rules: [] }
        expectStatus(await sent('POST', `${core}/roles`, role), 403)
        expectStatus(await sent('DELETE', '/auth/sessions/-'), 403)
        expectStatus(await sent('PUT', '/auth/password', { current: 'a', new: 'correct horse' }), 403)
        expectStatus(await sent('POST', '/auth/sessions', { username: 'a', password: 'b' }), 403)
        const stream = await api.request('GET', `${core}/roles`, {
          as: 'anonymous',
          headers: { ...headers(), cookie, accept: 'text/event-stream' },
        })
        expectStatus(stream, 403)
        expectStatus(await api.request('GET', `${core}/roles/cross-site`), 404)
      })
    }
  })
})
