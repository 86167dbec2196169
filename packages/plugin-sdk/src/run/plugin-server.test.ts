import { problems, type Problem, type Reason } from '@pergola/api'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  created,
  defineModel,
  definePlugin,
  forbidden,
  inspect,
  passOn,
  route,
  roleTemplate,
  t,
  withDefault,
  type AnyPlugin,
} from '../index.ts'
import { createHostFetch } from './host-fetch.ts'
import { createPluginServer, type PluginServer } from './plugin-server.ts'

const token = 'pgp_test'
const base = '/apis/console.api.shop.example.com/v1'
const asStream = { accept: 'text/event-stream' }

let release: (() => void) | undefined
const seen = { aborted: false, chunks: 0, headers: {} as Record<string, string>, cancelled: false }
const allow = roleTemplate('use', { displayName: 'Use the shop' })
const plugin = definePlugin({
  name: 'shop',
  api: 'shop.example.com/v1',
  roles: [allow],
  console: [
    route('GET /things/:name', { allow }, ({ params }) => params),
    route('GET /things/-', { allow }, () => ({ literal: true })),
    route('GET /things/:name/parts/:part', { allow }, ({ params }) => params),
    route('GET /things/-/parts/:part', { allow }, ({ params }) => ({ literal: true, ...params })),
    route(
      'POST /things',
      {
        body: t.Object({
          title: t.String({ minLength: 2 }),
          count: withDefault(t.Integer(), 1),
          tags: t.Optional(t.Array(t.String())),
        }),
      },
      ({ body }) => body,
    ),
    route(
      'GET /things',
      {
        query: t.Object({
          size: withDefault(t.Integer({ maximum: 10 }), 5),
          open: t.Optional(t.Boolean()),
          tag: t.Optional(t.Array(t.String())),
          code: t.Optional(t.String()),
        }),
      },
      ({ query }) => query,
    ),
    route('GET /plain', {}, ({ query }) => query),
    route('POST /nothing', {}, () => undefined),
    route('POST /made', { response: t.Object({ id: t.Integer() }) }, () => created({ id: 7 })),
    route('POST /made-wrong', { response: t.Object({ id: t.Integer() }) }, () => created({ id: 'x' } as never)),
    route('GET /wrong', { response: t.Object({ open: t.Integer() }) }, () => ({ open: 'many' }) as never),
    route('GET /date', { response: t.Object({ at: t.String() }) }, () => ({ at: new Date(0) }) as never),
    route('GET /refused', {}, () => forbidden('not today')),
    route('GET /broken', {}, () => {
      throw new Error('the secret reason')
    }),
    route('GET /caller', {}, ({ caller, request }) => {
      seen.headers = Object.fromEntries(request.headers)
      return { name: caller.name ?? null }
    }),
    route('GET /as-caller', {}, async ({ caller }) => caller.client(undefined as never).get('x')),
    route('POST /upload', { accepts: ['image/*', 'text/csv'], maxBody: 1000 }, async ({ request }) => ({
      bytes: (await request.arrayBuffer()).byteLength,
    })),
    route('GET /csv', { produces: 'text/csv' }, () => 'a,b\n1,2\n'),
    route('GET /csv-wrong', { produces: 'text/csv' }, () => ({ a: 1 })),
    route('POST /echo', { accepts: ['*/*'] }, ({ request }) => new Response(request.body)),
    route('GET /stream', { stream: true }, ({ signal }) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('first\n'))
          signal.addEventListener('abort', () => {
            seen.aborted = true
            controller.close()
          })
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }),
    route('GET /cut', {}, () => {
      let pulls = 0
      const pull = (controller: ReadableStreamDefaultController) => {
        if (pulls++ === 0) controller.enqueue(new TextEncoder().encode('half'))
        else controller.error(new Error('half way'))
      }
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
    }),
    route('GET /slow', {}, async ({ signal }) => {
      await new Promise<void>((resolve) => (release = resolve))
      return { aborted: signal.aborted }
    }),
  ],
  public: (request) => new Response(`app ${request.method} ${new URL(request.url).pathname}`),
})

const directory = mkdtempSync(join(tmpdir(), 'pergola-run-'))
const log: string[] = []
let sockets = 0
async function start(
  of: AnyPlugin,
  host = join(directory, 'nobody.sock'),
): Promise<{ server: PluginServer; fetch: typeof globalThis.fetch }> {
  const server = createPluginServer(of, {
    token,
    host,
    log: (line) => log.push(line),
  })
  const socket = join(directory, `${++sockets}.sock`)
  await server.listen(socket)
  return { server, fetch: createHostFetch(socket) }
}

let fetch: typeof globalThis.fetch
let server: PluginServer
beforeAll(async () => {
  ;({ server, fetch } = await start(plugin))
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

interface Asked extends RequestInit {
  readonly by?: typeof globalThis.fetch
  readonly json?: unknown
}
async function ask(line: string, { by = fetch, json, headers, ...init }: Asked = {}) {
  const [method = '', path = ''] = line.split(' ')
  const sent = { authorization: `Bearer ${token}`, ...(json !== undefined && { 'content-type': 'application/json' }) }
  return by(`http://plugin${path.startsWith('/pergola') || path.startsWith('/apis') ? '' : base}${path}`, {
    method,
    headers: { ...sent, ...(headers as Record<string, string>) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...init,
  })
}

const bare = 'the plugin failed; its log has the details under this request id'
const rows: readonly (readonly [what: string, line: string, options: Asked, status: number, body: unknown])[] = [
  ['a parameter, decoded', 'GET /things/a%2Fb%20%C3%BC', {}, 200, { name: 'a/b ü' }],
  ['a literal segment before a parameter', 'GET /things/-', {}, 200, { literal: true }],
  [
    'a literal segment before a parameter, with another',
    'GET /things/-/parts/a',
    {},
    200,
    { literal: true, part: 'a' },
  ],
  ['an unknown path', 'GET /nowhere', {}, 404, { reason: 'NotFound' }],
  ['a method that the path does not have', 'PUT /things', {}, 405, { reason: 'MethodNotAllowed' }],
  ['a body, with defaults', 'POST /things', { json: { title: 'ab' } }, 200, { title: 'ab', count: 1 }],
  ['a missing body', 'POST /things', {}, 400, { reason: 'BadRequest' }],
  [
    'a body that is not JSON',
    'POST /things',
    { body: '{"a', headers: { 'content-type': 'application/json' } },
    400,
    { detail: expect.stringContaining('the body is no JSON') },
  ],
  ['a body of another type', 'POST /things', { body: 'x', headers: { 'content-type': 'text/plain' } }, 415, {}],
  [
    'a body with several faults, with all of them',
    'POST /things',
    { json: { title: 'a', count: 1.5, tags: ['x', 7] } },
    422,
    {
      reason: 'Invalid',
      errors: [
        { pointer: '/title', field: 'title', rule: 'minLength', message: 'must have at least 2 characters' },
        { pointer: '/count', field: 'count', rule: 'type', message: 'must be of type integer' },
        { pointer: '/tags/1', field: 'tags[1]', rule: 'type', message: 'must be of type string' },
      ],
    },
  ],
  [
    'a body with an unknown field',
    'POST /things',
    { json: { title: 'ab', tag: ['x'] } },
    422,
    { errors: [{ pointer: '/tag', field: 'tag', rule: 'unknown' }] },
  ],
  ['a missing field', 'POST /things', { json: {} }, 422, { errors: [{ pointer: '/title', message: 'is missing' }] }],
  [
    'a dangerous field',
    'POST /things',
    { body: '{"__proto__":1}', headers: { 'content-type': 'application/json' } },
    400,
    {},
  ],
  [
    'a query, parsed by its schema',
    'GET /things?size=3&open=true&tag=a&tag=b&code=7',
    {},
    200,
    { size: 3, open: true, tag: ['a', 'b'], code: '7' },
  ],
  ['a query with defaults', 'GET /things', {}, 200, { size: 5 }],
  ['a query with faults', 'GET /things?size=30&open=yes', {}, 400, { errors: [{ field: 'size' }, { field: 'open' }] }],
  [
    'a query with an unknown parameter',
    'GET /things?sise=3',
    {},
    400,
    { errors: [{ field: 'sise', rule: 'unknown' }] },
  ],
  ['a duplicate query parameter', 'GET /things?size=3&size=4', {}, 400, { errors: [{ field: 'size', rule: 'once' }] }],
  ['a query without a schema', 'GET /plain?a=1&b=', {}, 200, { a: '1', b: '' }],
  ['a created value', 'POST /made', {}, 201, { id: 7 }],
  ['a created value that violates its schema', 'POST /made-wrong', {}, 500, { reason: 'Internal', detail: bare }],
  ['a response that violates its schema', 'GET /wrong', {}, 500, { reason: 'Internal', detail: bare }],
  ['a response that is checked as it is serialised', 'GET /date', {}, 200, { at: '1970-01-01T00:00:00.000Z' }],
  [
    'a problem that is thrown',
    'GET /refused',
    {},
    403,
    { reason: 'Forbidden', detail: 'not today', instance: `${base}/refused` },
  ],
  ['an error, without its message', 'GET /broken', {}, 500, { reason: 'Internal', detail: bare }],
  ['an anonymous caller', 'GET /caller', {}, 200, { name: null }],
  ['asCaller without a caller', 'GET /as-caller', {}, 401, { reason: 'Unauthenticated' }],
  [
    'another content type that the route accepts',
    'POST /upload',
    { body: 'abc', headers: { 'content-type': 'image/png' } },
    200,
    { bytes: 3 },
  ],
  [
    'another content type that the route does not accept',
    'POST /upload',
    { json: {} },
    415,
    { detail: expect.stringContaining('image/*') },
  ],
  [
    'a body whose Content-Length is too large',
    'POST /upload',
    { body: 'x'.repeat(1001), headers: { 'content-type': 'image/png' } },
    413,
    {},
  ],
  ['an object where the route produces text', 'GET /csv-wrong', {}, 500, { reason: 'Internal' }],
  ['health', 'GET /pergola/health', {}, 200, {}],
]
describe('the plugin server answers', () => {
  test.each(rows)('%s', async (_, line, options, status, body) => {
    const response = await ask(line, options)
    const answered: unknown = await response.json()
    expect(response.status, JSON.stringify(answered)).toBe(status)
    expect(answered).toMatchObject(body as object)
    if (status >= 400) expect(response.headers.get('content-type')).toBe('application/problem+json')
  })

  test('401 to every request without the token', async () => {
    for (const path of ['/pergola/health', '/pergola/definition', `${base}/things/-`]) {
      for (const authorization of ['', 'Bearer pgp_tes', 'Bearer pgp_test2', 'bearer pgp_test', 'Basic pgp_test']) {
        const response = await ask(`GET ${path}`, { headers: { authorization } })
        expect(response.status, `${path} ${authorization}`).toBe(401)
        await response.text()
      }
    }
  })

  test('the inspected definition', async () => {
    const first = await (await ask('GET /pergola/definition')).text()
    expect(JSON.parse(first)).toEqual(inspect(plugin))
    expect(await (await ask('GET /pergola/definition')).text()).toBe(first)
  })

  test('405 with the allowed methods', async () => {
    expect((await ask('PUT /things')).headers.get('allow')).toBe('POST, GET')
  })

  test('204 when the handler returns nothing', async () => {
    const response = await ask('POST /nothing')
    expect([response.status, await response.text()]).toEqual([204, ''])
  })

  test('HEAD like GET, without a body', async () => {
    const head = await ask('HEAD /things/-')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '16', ''])
  })

  test('content types other than JSON', async () => {
    const response = await ask('GET /csv')
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/csv', 'a,b\n1,2\n'])
  })

  test('every path of a group that a fetch function serves', async () => {
    const response = await ask('PUT /apis/api.shop.example.com/v1/any/where')
    expect(await response.text()).toBe('app PUT /apis/api.shop.example.com/v1/any/where')
  })
})

test('a handler gets the caller and does not see the tokens between host and plugin', async () => {
  const headers = { 'pergola-caller': 'ann', 'pergola-caller-token': 'pgc_1', 'pergola-request-id': 'r1' }
  expect(await (await ask('GET /caller', { headers })).json()).toEqual({ name: 'ann' })
  expect(seen.headers).toMatchObject({ 'pergola-request-id': 'r1' })
  expect(Object.keys(seen.headers)).not.toContain('authorization')
  expect(Object.keys(seen.headers)).not.toContain('pergola-caller-token')
})

test('requests of a handler to the host use the token of the plugin, with asCaller also that of the caller', async () => {
  const heard: (readonly [string | undefined, unknown])[] = []
  const host = createServer(({ headers, url }, response) => {
    heard.push([headers.authorization, headers['pergola-caller-token']])
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ metadata: { name: url }, spec: {} }))
  })
  const socket = join(directory, 'host.sock')
  await new Promise<void>((resolve) => host.listen(socket, resolve))
  const model = defineModel({ apiVersion: 'shop.example.com/v1', kind: 'Thing', plural: 'things', spec: t.Object({}) })
  const asking = definePlugin({
    name: 'shop',
    models: [model],
    console: [
      route('GET /mine/:name', {}, ({ client, params }) => client(model).get(params.name)),
      route('GET /theirs/:name', {}, ({ caller, params }) => caller.client(model).get(params.name)),
    ],
  })
  const own = await start(asking, socket)
  const headers = { 'pergola-caller': 'ann', 'pergola-caller-token': 'pgc_ann' }
  const answer = await (await ask('GET /mine/a%20b', { by: own.fetch, headers })).json()
  expect(answer).toMatchObject({ metadata: { name: '/apis/shop.example.com/v1/things/a%20b' } })
  await (await ask('GET /theirs/a', { by: own.fetch, headers })).text()
  expect(heard).toEqual([
    ['Bearer pgp_test', undefined],
    ['Bearer pgp_test', 'pgc_ann'],
  ])
  await own.server.stop()
  host.closeAllConnections()
  host.close()
})

describe('an error of the host that reaches the end of a handler', () => {
  const model = defineModel({ apiVersion: 'shop.example.com/v1', kind: 'Thing', plural: 'things', spec: t.Object({}) })
  const asking = definePlugin({
    name: 'shop',
    models: [model],
    console: [
      route('GET /mine/:name', {}, ({ client, params }) => client(model).get(params.name)),
      route('GET /theirs/:name', {}, ({ caller, params }) => caller.client(model).get(params.name)),
      route('GET /passed/:name', {}, ({ client, params }) => client(model).get(params.name).catch(passOn)),
    ],
  })
  /** Answers with the problem that the name of the object says. */
  const host = createServer(({ url = '' }, response) => {
    const [, reason = ''] = /things\/(\w+)/.exec(url) ?? []
    const { status } = problems[reason as Reason]
    const errors = [{ pointer: '/spec', field: 'spec', rule: 'x', message: 'secret' }]
    response.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '60' })
    response.end(JSON.stringify({ reason, status, detail: 'secret "x"', errors, stored: { uid: 'u', version: 1 } }))
  })
  const socket = join(directory, 'refusing-host.sock')
  let own: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    await new Promise<void>((resolve) => host.listen(socket, resolve))
    own = await start(asking, socket)
  })
  afterAll(async () => {
    await own.server.stop()
    host.closeAllConnections()
    host.close()
  })
  const answeredTo = async (path: string) => {
    const headers = { 'pergola-caller': 'ann', 'pergola-caller-token': 'pgc_ann', 'pergola-request-id': path }
    const response = await ask(`GET ${path}`, { by: own.fetch, headers })
    const { reason, errors, detail, stored } = (await response.json()) as Partial<Problem>
    const lines = log.filter((line) => line.includes(`(request ${path})`))
    return { status: response.status, reason, errors, detail, stored, lines }
  }

  test.each<Reason>(['Forbidden', 'FieldNotIndexed', 'Invalid', 'Unauthenticated', 'ModelNotFound', 'PluginFailed'])(
    '%s of the plugin is 500, with one line in the log',
    async (reason) => {
      const { lines, ...answered } = await answeredTo(`/mine/${reason}`)
      expect(answered).toEqual({ status: 500, reason: 'Internal', detail: bare })
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(/ApiError: secret "x"[^]*plugin-server\.test\.ts:\d+/)
    },
  )

  test.each<Reason>(['NotFound', 'VersionConflict', 'DuplicateIndexValue', 'AlreadyExists'])(
    '%s of the plugin passes, without names and errors',
    async (reason) => {
      const { detail, ...answered } = await answeredTo(`/mine/${reason}`)
      expect(answered).toEqual({ status: problems[reason].status, reason, lines: [] })
      expect(detail).not.toContain('secret')
    },
  )

  test.each<Reason>(['TooManyRequests', 'Unavailable', 'PluginTimeout'])('%s of the plugin is 503', async (reason) => {
    const { detail, ...answered } = await answeredTo(`/mine/${reason}`)
    expect(answered).toEqual({ status: 503, reason: 'Unavailable', lines: [] })
    expect(detail).not.toContain('secret')
  })

  test.each(['/theirs/Forbidden', '/passed/Forbidden'])('%s passes unchanged', async (path) => {
    expect(await answeredTo(path)).toMatchObject({ status: 403, reason: 'Forbidden', detail: 'secret "x"', lines: [] })
  })
})

test('an error in a handler is logged with the request ID', async () => {
  const headers = { 'pergola-request-id': 'broken-1' }
  expect(await (await ask('GET /broken', { headers })).json()).toMatchObject({ requestId: 'broken-1' })
  expect(log.find((line) => line.includes('broken-1'))).toMatch(/GET \S+\/broken failed .*the secret reason[^]*at /)
  await (await ask('GET /wrong', { headers: { 'pergola-request-id': 'wrong-1' } })).text()
  expect(log.find((line) => line.includes('wrong-1'))).toContain('open must be of type integer')
})

test('a body that exceeds the limit while it is read is rejected', async () => {
  const answered = await new Promise<number | undefined>((resolve, reject) => {
    const sent = httpRequest(
      {
        socketPath: join(directory, '1.sock'),
        method: 'POST',
        path: `${base}/upload`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    sent.on('error', reject)
    sent.write('x'.repeat(600))
    sent.end('x'.repeat(600))
  })
  expect(answered).toBe(413)
})

test('request and response bodies are streamed', async () => {
  const big = 'x'.repeat(5_000_000)
  const response = await ask('POST /echo', { body: big, headers: { 'content-type': 'text/plain' } })
  expect((await response.text()).length).toBe(big.length)
})

test('a response that fails midway is truncated and never looks complete', async () => {
  const response = await ask('GET /cut')
  await expect(response.text()).rejects.toThrow(/aborted|terminated/)
  expect(log.some((line) => line.includes('half way'))).toBe(true)
})

test('the signal of a handler is aborted when the caller disconnects', async () => {
  seen.aborted = false
  const leaving = new AbortController()
  const response = await ask('GET /stream', { signal: leaving.signal, headers: asStream })
  const reader = response.body?.getReader()
  await reader?.read()
  expect(seen.aborted).toBe(false)
  leaving.abort()
  await expect.poll(() => seen.aborted).toBe(true)
})

test('a stop ends streams, lets other requests finish, and accepts no new ones', async () => {
  const own = await start(plugin)
  const stream = await ask('GET /stream', { by: own.fetch, headers: asStream })
  const slow = ask('GET /slow', { by: own.fetch })
  await expect.poll(() => release).toBeDefined()
  const stopped = own.server.stop()
  expect(await stream.text()).toBe('first\n')
  await expect(ask('GET /pergola/health', { by: own.fetch })).rejects.toThrow(/ENOENT|ECONNREFUSED|ECONNRESET|EPIPE/)
  release?.()
  expect(await (await slow).json()).toEqual({ aborted: false })
  await stopped
})
