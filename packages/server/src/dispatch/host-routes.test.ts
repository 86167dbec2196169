import { isApiError, requestInfo } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import type { Call } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import { createHostRoutes } from './host-routes.ts'

function route(method: HostRoute['method'], path: string, more: Partial<HostRoute> = {}): HostRoute {
  const handle: HostRoute['handle'] = async (_, parameters) => ({
    status: 200,
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify({ route: `${method} ${path}`, ...parameters })),
  })
  return { id: `${method}${path}`, method, path, summary: '', answers: [], handle, ...more }
}

const own = '/apis/api.platform.run/v1alpha1'
const find = createHostRoutes([
  route('GET', '/auth/sessions', { query: [{ name: 'x', description: '', schema: {} }] }),
  route('POST', '/auth/sessions'),
  route('DELETE', '/auth/sessions/{id}'),
  route('GET', '/auth/oidc/{provider}/callback', { hasOpenQuery: true }),
  route('GET', `${own}/users/-`),
  route('PUT', '/api/v1alpha1/users/{name}/password'),
])

async function ask(method: string, target: string, headers: { accept?: string } = {}): Promise<unknown> {
  const query = new URLSearchParams(target.split('?')[1])
  const request = { method, target, headers, query }
  const info = requestInfo(request)
  const answer = await find({ info, request })?.({ info, request } as unknown as Call)
  return answer && (JSON.parse(String(answer.body as Buffer)) as unknown)
}

describe('a route is found by method and path', () => {
  const rows: readonly (readonly [method: string, target: string, found: object | undefined])[] = [
    ['GET', '/auth/sessions', { route: 'GET /auth/sessions' }],
    ['HEAD', '/auth/sessions?x=1', { route: 'GET /auth/sessions' }],
    ['DELETE', '/auth/sessions/a%20b', { route: 'DELETE /auth/sessions/{id}', id: 'a b' }],
    ['DELETE', '/auth/sessions/%2525', { route: 'DELETE /auth/sessions/{id}', id: '%25' }],
    ['DELETE', '/auth/sessions/constructor', { route: 'DELETE /auth/sessions/{id}', id: 'constructor' }],
    ['GET', `${own}/users/-`, { route: `GET ${own}/users/-` }],
    ['PUT', '/api/v1alpha1/users/a/password', { route: 'PUT /api/v1alpha1/users/{name}/password', name: 'a' }],
    ['GET', `${own}/users/ann`, undefined],
    ['GET', `${own}/constructor`, undefined],
    ['GET', '/apis/constructor/v1/users/-', undefined],
    ['GET', '/constructor', undefined],
    ['GET', '/api/v1alpha1/users', undefined],
    ['GET', '/api/v1alpha1/users/a', undefined],
    ['PUT', '/api/v1alpha1/users/a/status', undefined],
    ['PUT', '/api/v2/users/a/password', undefined],
    ['GET', '/apis/todo.example.com/v1/users/-', undefined],
  ]
  for (const [method, target, found] of rows) {
    test(`${method} ${target}`, async () => expect(await ask(method, target)).toEqual(found))
  }
})

test('query parameters that a route does not name are refused', async () => {
  for (const target of ['/auth/sessions?dryRun=true', '/auth/sessions?x=1&y=2'])
    await expect(ask('GET', target)).rejects.toMatchObject({ reason: 'BadRequest' })
  await expect(ask('DELETE', '/auth/sessions/a?dryRun=true')).rejects.toMatchObject({
    message: 'the query parameter "dryRun" is not known; this endpoint accepts none',
  })
  expect(await ask('GET', '/auth/oidc/a/callback?code=1&iss=2')).toMatchObject({ provider: 'a' })
})

describe('another method, or a stream, is 405 with Allow:', () => {
  const rows: readonly (readonly [method: string, target: string, allow: string, accept?: string])[] = [
    ['PUT', '/auth/sessions', 'GET, HEAD, POST'],
    ['GET', '/auth/sessions/a', 'DELETE'],
    ['POST', `${own}/users/-`, 'GET, HEAD'],
    ['GET', `${own}/users/-`, 'GET, HEAD', 'text/event-stream'],
  ]
  for (const [method, target, allow, accept] of rows) {
    test(`${method} ${target}${accept === undefined ? '' : ` as ${accept}`}`, async () => {
      const refusal = await ask(method, target, accept === undefined ? {} : { accept }).catch((error: unknown) => error)
      expect(isApiError(refusal) && [refusal.reason, refusal.headers]).toEqual(['MethodNotAllowed', { allow }])
    })
  }
})
