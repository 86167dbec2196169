import type { RouteDeclaration } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { another, install, phaseIs } from '../conformance/plugin.ts'
import { expectProblem, expectStatus } from '../conformance/request.ts'
import { once, onEachEngine } from '../conformance/server.ts'

/** Headers by which a response would affect the origin, the user's session or a proxy in front of the host. */
const hostile =
  `Set-Cookie Set-Cookie2 Access-Control-Allow-Origin Strict-Transport-Security Clear-Site-Data Service-Worker-Allowed
  X-Accel-Redirect X-Accel-Buffering X-Sendfile Refresh Alt-Svc NEL Report-To Reporting-Endpoints WWW-Authenticate Proxy-Authenticate
  Content-Security-Policy Content-Security-Policy-Report-Only Permissions-Policy Referrer-Policy Cross-Origin-Opener-Policy
  X-Content-Type-Options X-Frame-Options Speculation-Rules Sec-Session-Registration Pergola-Caller Pergola-Request-Id
  Origin-Agent-Cluster Timing-Allow-Origin Accept-CH SourceMap`.split(/\s+/)
const harmless = [
  'Content-Language',
  'Cache-Control',
  'ETag',
  'Vary',
  'Retry-After',
  'Link',
  'RateLimit-Remaining',
  'X-Total',
]

const path = '/apis/api.headers.example.com/v1alpha1/told'
const route: RouteDeclaration = { audience: 'public', method: 'GET', path }
const definitionWith = (...responseHeaders: readonly string[]) =>
  another('headers', { api: 'headers.example.com/v1alpha1', routes: [{ ...route, responseHeaders }] })
const answer = `(request, response) => {
  for (const name of ${JSON.stringify([...hostile, ...harmless, 'X-Unnamed'])}) response.setHeader(name, 'said')
  response.end()
}`

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await install(api, { definition: definitionWith('x-total'), answer }), 201)
    await phaseIs(api, { phase: 'Started' }, 'headers')
  })

  describe('response headers of a plugin', () => {
    test('no header passes that is not known to be harmless or named by the route', async () => {
      await installed()
      const { status, headers } = await api.request('GET', path)
      expect(status).toBe(200)
      const said = Object.entries(headers).flatMap(([name, value]) => (value === 'said' ? [name] : []))
      expect(said.toSorted()).toEqual(harmless.map((name) => name.toLowerCase()).toSorted())
    })

    test('a package that names a harmful header is refused', async () => {
      const lower = hostile.map((name) => name.toLowerCase())
      for (const name of [...lower, 'connection', 'transfer-encoding', 'upgrade', 'X-Total', 'a b', '']) {
        const refused = await install(api, { definition: definitionWith(name) })
        expectProblem(refused, 422, 'Invalid')
        expect(refused.text).toContain('responseHeaders')
      }
    })
  })
})
