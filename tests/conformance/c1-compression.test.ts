import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { core, login, person } from './people.ts'
import { another, install, phaseIs } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine, type Api } from './server.ts'

const gzip = { 'accept-encoding': 'gzip, deflate, br' }
const roles = `${core}/roles`
const document = `/openapi/v3${core}`
const large = 'x'.repeat(4_000)
const told = '/apis/api.telling.example.com/v1alpha1/told'
const variables = { KEY: randomBytes(32).toString('base64') }
const file = () => ({ secrets: { keys: [{ env: 'KEY' }] } })

const compressible = [
  ['a page of a list', `${roles}?size=20`],
  ['a list without a size', roles],
  ['discovery', '/apis'],
  ['an OpenAPI document', document],
] as const

/** The response without decoding its body. */
async function bytesAt(api: Api, path: string, headers: Readonly<Record<string, string>>) {
  const response = await api.open(path, { headers })
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

onEachEngine(
  (api) => {
    for (const [what, path] of compressible) {
      test(`C1-457 ${what} is compressed, and contains the same`, async () => {
        const plain = await bytesAt(api, path, {})
        for (const accepted of ['gzip, deflate, br', '*', 'br, GZIP;q=0.2, identity;q=0.1']) {
          const { status, headers, body } = await bytesAt(api, path, { 'accept-encoding': accepted })
          expect([status, headers['content-encoding']]).toEqual([200, 'gzip'])
          expect(headers['content-length'] ?? String(body.length)).toBe(String(body.length))
          expect(body.length).toBeLessThan(plain.body.length)
          expect(gunzipSync(body).equals(plain.body)).toBe(true)
        }
      })

      test(`C1-458 ${what} is not compressed for a client that does not accept it, or not clearly`, async () => {
        for (const accepted of ['', 'br', 'gzip;q=0', '*;q=0', '*, gzip;q=0.0', 'identity, gzip;q=0.9', 'gzip;q=9']) {
          const { status, headers, body } = await bytesAt(api, path, { 'accept-encoding': accepted })
          expect([accepted, status, headers['content-encoding']]).toEqual([accepted, 200, undefined])
          expect(() => JSON.parse(body.toString()) as unknown).not.toThrow()
        }
      })

      test(`C1-459 ${what} varies by Accept-Encoding in both encodings, beside Origin`, async () => {
        for (const headers of [{}, gzip]) {
          const { vary = '' } = (await bytesAt(api, path, headers)).headers
          expect(vary.split(/, */).toSorted()).toEqual(['Accept-Encoding', 'Origin'])
        }
      })

      test(`C1-461 HEAD of ${what} has the encoding of GET, and no length of it`, async () => {
        const head = await api.request('HEAD', path, { headers: gzip })
        expect(head).toMatchObject({ status: 200, text: '' })
        expect([head.headers['content-encoding'], head.headers['content-length']]).toEqual(['gzip', undefined])
        expect(head.headers.etag).toBe((await bytesAt(api, path, gzip)).headers.etag)
        expect((await api.request('HEAD', path)).headers['content-encoding']).toBeUndefined()
      })
    }

    for (const path of ['/apis', document]) {
      test(`C1-459 the ETag of ${path} is weak, the same in both encodings, and known in both`, async () => {
        const [plain, compressed] = [await bytesAt(api, path, {}), await bytesAt(api, path, gzip)]
        const { etag = '' } = plain.headers
        expect(etag).toMatch(/^W\/".+"$/)
        expect(compressed.headers.etag).toBe(etag)
        for (const headers of [{}, gzip]) {
          const known = await bytesAt(api, path, { ...headers, 'if-none-match': etag })
          expect(known).toMatchObject({ status: 304, headers: { etag } })
          expect(known.headers.vary).toContain('Accept-Encoding')
          expect(known.headers['content-encoding']).toBeUndefined()
        }
      })
    }

    const filled = once(async () => {
      const annotations = { about: large }
      const posts = [
        [`${core}/secrets`, { metadata: { name: 'large', annotations }, data: { key: large } }],
        [`${core}/configmaps`, { metadata: { name: 'large', annotations }, data: { key: large } }],
        [`${core}/configmaps`, { metadata: { name: 'small' }, data: {} }],
      ] as const
      for (const [path, body] of posts) expectStatus(await api.request('POST', path, { body }), 201)
    })

    for (const [what, path] of [
      ['a page of secrets', `${core}/secrets?size=20`],
      ['all secrets', `${core}/secrets`],
      ['a secret', `${core}/secrets/large`],
      ['an object', `${core}/configmaps/large`],
      ['a short page', `${core}/configmaps?size=20&fieldSelector=metadata.name=small`],
      ['a short list', `${core}/configmaps?fieldSelector=metadata.name=small`],
    ] as const) {
      test(`C1-460 ${what} is not compressed`, async () => {
        await filled()
        const { status, headers, body } = await bytesAt(api, path, gzip)
        expect([status, headers['content-encoding']]).toEqual([200, undefined])
        expect(JSON.parse(body.toString())).toBeTypeOf('object')
      })
    }

    test('C1-460 sessions and tokens are not compressed', async () => {
      const { name, token } = await person(api, { hasPassword: true })
      const made = await login(api, { username: name, transport: 'token' }, gzip)
      expectStatus(made, 201)
      expect(made.headers['content-encoding']).toBeUndefined()
      const own = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
      for (let tokens = 0; tokens < 4; tokens++) {
        const body = { description: 'x'.repeat(500) }
        const created = await api.request('POST', own, { token, body, headers: gzip })
        expectStatus(created, 201)
        expect(created.headers['content-encoding']).toBeUndefined()
      }
      for (const [path, who] of [
        ['/auth/sessions', { token }],
        [own, { token }],
        ['/apis/security.platform.run/v1alpha1/personalaccesstokens?size=20', {}],
        ['/apis/security.platform.run/v1alpha1/personalaccesstokens', {}],
      ] as const) {
        const answer = await api.request('GET', path, { ...who, headers: gzip })
        expectStatus(answer, 200)
        expect([path, answer.headers['content-encoding']]).toEqual([path, undefined])
      }
    })

    test('C1-460 a problem is not compressed', async () => {
      const name = 'n'.repeat(1_500)
      const answer = await api.request('GET', `${roles}?fieldSelector=spec.${name}=1`, { headers: gzip })
      expectProblem(answer, 400, 'FieldNotIndexed')
      expect(answer.text.length).toBeGreaterThan(1_024)
      expect(answer.headers['content-encoding']).toBeUndefined()
    })

    test('C1-460 a watch is not compressed', async () => {
      const headers = { ...gzip, accept: 'text/event-stream' }
      const response = await api.open(`${roles}?initial=true`, { headers })
      response.destroy()
      expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, undefined])
    })

    test('C1-460 the answer of a custom API is passed on as it is', async () => {
      const definition = another('telling', {
        api: 'api.telling.example.com/v1alpha1',
        routes: [{ audience: 'public', method: 'GET', path: told }],
      })
      const answer = `(request, response) => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify('${large}'))
      }`
      expectStatus(await install(api, { definition, answer }), 201)
      await phaseIs(api, { phase: 'Started' }, 'telling')
      const { status, headers, body } = await bytesAt(api, told, gzip)
      expect([status, headers['content-encoding'], body.length]).toEqual([200, undefined, large.length + 2])
    })
  },
  { file, variables, env: { PERGOLA_CORS_ORIGINS: 'https://pages.example.com' } },
)

onEachEngine(
  (api) => {
    for (const [what, path] of compressible) {
      test(`C1-462 with http.compression: false, ${what} is not compressed`, async () => {
        const { status, headers, body } = await bytesAt(api, path, gzip)
        expect([status, headers['content-encoding'], headers.vary]).toEqual([200, undefined, undefined])
        expect(JSON.parse(body.toString())).toBeTypeOf('object')
      })
    }
  },
  { file: () => ({ http: { compression: false } }) },
)
