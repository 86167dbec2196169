import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealingKey } from '../../packages/server/src/config/sealing-keys.ts'
import { startHost, type PluginHost } from './plugin-host.ts'

let host: PluginHost
beforeAll(async () => {
  const keys = [sealingKey(Buffer.alloc(32, 7).toString('base64'))]
  host = await startHost('SQLite', undefined, { keys })
  const body = (name: string, kind: string) => ({ kind, metadata: { name }, data: { key: 'x'.repeat(3_000) } })
  for (const [plural, kind] of [
    ['secrets', 'Secret'],
    ['configmaps', 'ConfigMap'],
  ] as const) {
    const sent = { apiVersion: 'v1alpha1', ...body('one', kind) }
    const made = await host.send(`POST /api/v1alpha1/${plural}`, { token: host.admin, body: sent })
    if (made.status !== 201) throw new Error(`${plural}: ${made.status}`)
  }
})
afterAll(() => host[Symbol.asyncDispose]())

/** `fetch` would send headers of its own and decompress. */
async function ask(path: string, headers: Readonly<Record<string, string>>, { url, admin } = host) {
  const sent = request(`${url}${path}`, { headers: { authorization: `Bearer ${admin}`, ...headers } }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { answer, sent }
}

const gzip = { 'accept-encoding': 'gzip, br' }
const roles = '/api/v1alpha1/roles?sort=metadata.name'

test.each([
  ['a page', `${roles}&size=100`],
  ['a list without a size', roles],
  ['what the API has', '/apis'],
  ['the description of a group', '/openapi/v3/api/v1alpha1'],
])('%s is compressed for a client that accepts it', async (_, path) => {
  const plain = await buffer((await ask(path, {})).answer)
  const { answer } = await ask(path, { ...gzip, origin: 'https://elsewhere.example' })
  expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip' })
  expect(answer.headers.vary?.split(', ')).toContain('Accept-Encoding')
  const bytes = await buffer(answer)
  expect(bytes.length).toBeLessThan(plain.length / 2)
  expect(gunzipSync(bytes).equals(plain)).toBe(true)
})

test('a description is not sent again when its compressed form is known', async () => {
  const path = '/openapi/v3/api/v1alpha1'
  const { etag = '' } = (await ask(path, gzip)).answer.headers
  expect(etag).toMatch(/^W\//)
  expect((await ask(path, { ...gzip, 'if-none-match': etag })).answer.statusCode).toBe(304)
})

test.each([
  ['secrets', '/api/v1alpha1/secrets'],
  ['an object', '/api/v1alpha1/configmaps/one'],
  ['the sessions of the caller', '/auth/sessions'],
  ['a short list', '/api/v1alpha1/configmaps?fieldSelector=metadata.name=none&size=5'],
])('%s is not compressed', async (_, path) => {
  const { answer } = await ask(path, gzip)
  expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined])
  answer.resume()
})

test('a watch is not compressed', async () => {
  const { answer, sent } = await ask('/api/v1alpha1/roles?initial=true', { ...gzip, accept: 'text/event-stream' })
  expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined])
  sent.destroy()
})

test('with http.compression: false nothing is compressed', async () => {
  await using off = await startHost('SQLite', undefined, { env: { PERGOLA_HTTP_COMPRESSION: 'false' } })
  const { answer } = await ask(roles, gzip, off)
  expect([answer.statusCode, answer.headers['content-encoding'], answer.headers.vary]).toEqual([
    200,
    undefined,
    undefined,
  ])
  answer.resume()
})
