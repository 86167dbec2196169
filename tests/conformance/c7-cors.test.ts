import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { cookieOf, core, person } from './people.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

const app = 'https://app.example.com'
const other = 'https://other.example.com'
const roles = `${core}/roles`

const corsHeaders = ({ headers }: Answer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

const preflight = (api: Api, origin: string, headers: Record<string, string> = {}) =>
  api.request('OPTIONS', roles, {
    as: 'anonymous',
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization',
      ...headers,
    },
  })

onEachEngine((api) => {
  test('C7-70 without cors.origins there are no CORS headers and a preflight is 405', async () => {
    const asked = await preflight(api, app)
    expectProblem(asked, 405, 'MethodNotAllowed')
    const read = await api.request('GET', roles, { headers: { origin: app } })
    expectStatus(read, 200)
    for (const answer of [asked, read]) {
      expect(corsHeaders(answer)).toEqual({})
      expect(answer.headers.vary ?? '').not.toContain('Origin')
    }
  })
})

onEachEngine(
  (api) => {
    test('C7-71 the preflight of a listed origin is answered before authentication', async () => {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { cookie: 'pergola-session=wrong' }]) {
        const answer = await preflight(api, app, headers)
        expectStatus(answer, 204)
        expect(answer.text).toBe('')
        expect(answer.headers['content-length']).toBeUndefined()
        expect(answer.headers.vary).toBe('Origin')
        expect(corsHeaders(answer)).toEqual({
          'access-control-allow-origin': app,
          'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': 'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID',
          'access-control-max-age': '600',
          'access-control-expose-headers': 'ETag, Location, Retry-After, Pergola-Request-Id, Pergola-Replica',
        })
      }
    })

    describe('any other preflight is 405', () => {
      for (const origin of [
        other,
        `${app}.evil.example`,
        'https://sub.app.example.com',
        `${app}:444`,
        'http://app.example.com',
        'null',
        app.toUpperCase(),
      ]) {
        test(`C7-71 the preflight of ${origin} is 405 without CORS headers`, async () => {
          const answer = await preflight(api, origin)
          expectProblem(answer, 405, 'MethodNotAllowed')
          expect(corsHeaders(answer)).toEqual({})
          expect(answer.headers.vary).toBe('Origin')
        })
      }

      test('C7-71 OPTIONS without Access-Control-Request-Method is not a preflight', async () => {
        const answer = await api.request('OPTIONS', roles, { as: 'anonymous', headers: { origin: app } })
        expectProblem(answer, 405, 'MethodNotAllowed')
      })
    })

    test('C7-72 responses to a listed origin, including problems, can be read and expose the headers that clients need', async () => {
      const open = {
        'access-control-allow-origin': app,
        'access-control-expose-headers': 'ETag, Location, Retry-After, Pergola-Request-Id, Pergola-Replica',
      }
      const headers = { origin: app }
      const answers = [
        await api.request('GET', `${roles}/author`, { headers }),
        await api.request('GET', roles, { headers }),
        await api.request('POST', roles, { headers, body: { metadata: { generateName: 'cors-' }, rules: [] } }),
        await api.request('GET', roles, { as: 'anonymous', headers }),
        await api.request('GET', `${roles}/nothing`, { headers }),
        await api.request('GET', '/%zz', { headers }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 401, 404, 400])
      for (const answer of answers) {
        expect(corsHeaders(answer)).toEqual(open)
        expect(answer.headers.vary?.split(', ')).toContain('Origin')
      }
    })

    test('C7-72 a listed origin can read an event stream', async () => {
      const ann = await person(api, { roles: ['super-administrator'] })
      const headers = { origin: app, authorization: `Bearer ${ann.token}`, accept: 'text/event-stream' }
      const request = httpRequest(new URL(roles, api.origin()), { agent: false, headers })
      request.end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      response.on('error', () => {})
      request.destroy()
      expect(response.statusCode).toBe(200)
      expect(response.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'access-control-allow-origin': app,
        vary: 'Origin',
      })
    })

    test('C7-72 responses to other origins have no CORS headers but have Vary: Origin', async () => {
      for (const headers of [{}, { origin: other }, { origin: 'null' }]) {
        const answer = await api.request('GET', roles, { headers })
        expectStatus(answer, 200)
        expect(corsHeaders(answer)).toEqual({})
        expect(answer.headers.vary?.split(', ')).toContain('Origin')
      }
    })

    test('C7-73 a cookie from a listed origin is rejected; a token is accepted', async () => {
      const ann = await person(api, { hasPassword: true, roles: ['super-administrator'] })
      const cookie = await cookieOf(api, ann.name)
      const asApp = { cookie, origin: app }
      expectStatus(await api.request('GET', roles, { as: 'anonymous', headers: { cookie } }), 200)
      const body = { metadata: { name: 'by-cookie' }, rules: [] }
      const answers = [
        await api.request('GET', roles, { as: 'anonymous', headers: asApp }),
        await api.request('GET', '/apis', { as: 'anonymous', headers: { ...asApp, 'sec-fetch-site': 'same-site' } }),
        await api.request('POST', roles, { as: 'anonymous', headers: asApp, body }),
        await api.request('POST', '/auth/sessions', {
          as: 'anonymous',
          headers: { origin: app },
          body: { username: 'a', password: 'b' },
        }),
      ]
      for (const answer of answers) {
        expectProblem(answer, 403, 'CrossSite')
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
      }
      const byToken = await ann.request('POST', roles, { headers: asApp, body })
      expectStatus(byToken, 201)
      expect(byToken.headers['access-control-allow-credentials']).toBeUndefined()
    })
  },
  { env: { PERGOLA_CORS_ORIGINS: `https://first.example.com, ${app}` } },
)

onEachEngine(() => {
  const refused: readonly (readonly [setting: string, entry: string, advice: string])[] = [
    ['CORS_ORIGINS', '*', '"*" is not supported'],
    ['CORS_ORIGINS', 'https://*.example.com', '"*" is not supported'],
    ['CORS_ORIGINS', 'https://app.example.com/', 'as browsers send it: https://app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/page', 'as browsers send it: https://app.example.com'],
    ['CORS_ORIGINS', 'null', 'such as https://app.example.com'],
    ['CORS_ORIGINS', 'http://app.example.com', 'use https://app.example.com'],
    ['HTTP_TRUSTED_PROXIES', '*', 'a range such as 10.0.0.0/8'],
    ['HTTP_TRUSTED_PROXIES', 'proxy.example.com', 'a range such as 10.0.0.0/8'],
    ['HTTP_TRUSTED_PROXIES', '10.0.0.0/33', 'a range such as 10.0.0.0/8'],
    ['HTTP_TRUSTED_PROXIES', '10.0.0.5/8', 'or 10.0.0.5 alone'],
    ['HTTP_TRUSTED_PROXIES', '0.0.0.0/0', 'list the addresses of your own proxies'],
  ]
  for (const [setting, entry, advice] of refused) {
    test(`C7-74 ${setting} with ${entry} is rejected at start`, () => {
      const load = () => loadConfig({ env: { [`PERGOLA_${setting}`]: entry } })
      expect(load).toThrow(
        expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(advice) as string }),
      )
      expect(load).toThrow(`PERGOLA_${setting}: ${entry} `)
    })
  }
})
