import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createDatabase, postgresVersions } from '@pergola/test-servers'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { assemble, type Server } from './assemble.ts'
import { loadConfig } from './base/config.ts'
import { createLog } from './base/log.ts'

const token = 'test-token-test-token-test-token'
const admin = { authorization: `Bearer ${token}` }
const json = { 'content-type': 'application/json' }

interface Row {
  readonly what: string
  /** Method and target; a third word makes the request with the administrator's token. */
  readonly line: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly status: number
  /** Of the answer's body. */
  readonly contains?: object | string
  readonly answerHeaders?: Record<string, string>
}

const rows: readonly Row[] = [
  {
    what: 'the built-in roles are listed',
    line: 'GET /api/v1alpha1/roles admin',
    status: 200,
    contains: {
      kind: 'RoleList',
      apiVersion: 'v1alpha1',
      page: 1,
      totalIsEstimate: false,
      first: true,
      last: true,
      hasNext: false,
      hasPrevious: false,
    },
  },
  {
    what: 'a page has its size and its neighbours',
    line: 'GET /api/v1alpha1/roles?page=2&size=3 admin',
    status: 200,
    contains: { page: 2, size: 3, totalPages: 3, first: false, last: false, hasNext: true, hasPrevious: true },
  },
  {
    what: 'a page past the end is empty',
    line: 'GET /api/v1alpha1/roles?page=99&size=3 admin',
    status: 200,
    contains: { items: [], last: true, hasNext: false },
  },
  {
    what: 'a role is read by name',
    line: 'GET /api/v1alpha1/roles/author admin',
    status: 200,
    contains: { kind: 'Role', metadata: { name: 'author', version: 0, generation: 1 } },
  },
  {
    what: 'HEAD answers like GET without a body',
    line: 'HEAD /api/v1alpha1/roles/author admin',
    status: 200,
    contains: '',
  },
  {
    what: 'a role is created, with what the server owns set by the server',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"made","version":9,"uid":"mine","labels":{"a.example/b":"c"}},"rules":[]}',
    status: 201,
    contains: {
      apiVersion: 'v1alpha1',
      kind: 'Role',
      metadata: { name: 'made', version: 0, generation: 1, labels: { 'a.example/b': 'c' } },
    },
    answerHeaders: { location: '/api/v1alpha1/roles/made' },
  },
  {
    what: 'a name is made when asked for',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"kind":"Role","metadata":{"generateName":"made-"},"rules":[]}',
    status: 201,
    contains: { metadata: { name: expect.stringMatching(/^made-[a-z0-9]{8}$/) as string } },
  },
  {
    what: 'a name of 253 characters is found by its path',
    line: `GET /api/v1alpha1/roles/${'a'.repeat(253)} admin`,
    status: 404,
    contains: { reason: 'NotFound' },
  },

  { what: 'the process is alive without credentials', line: 'GET /livez', status: 200, contains: 'ok\n' },
  { what: 'the server is ready without credentials', line: 'GET /readyz', status: 200, contains: 'ready\n' },
  {
    what: 'the checks are listed on request',
    line: 'GET /readyz?verbose',
    status: 200,
    contains: '[ok]     accepting  requests\n[ok]     database ',
  },

  {
    what: 'no credentials',
    line: 'GET /api/v1alpha1/roles',
    status: 401,
    contains: { reason: 'Unauthenticated', instance: '/api/v1alpha1/roles' },
    answerHeaders: { 'www-authenticate': 'Bearer realm="pergola"', 'content-type': 'application/problem+json' },
  },
  { what: 'no credentials for a path that does not exist', line: 'GET /nowhere', status: 401 },
  {
    what: 'a wrong token, even where anybody may go',
    line: 'GET /livez',
    headers: { authorization: 'Bearer wrong' },
    status: 401,
  },
  {
    what: 'no credentials, before the body is looked at',
    line: 'POST /api/v1alpha1/roles',
    headers: json,
    body: '{',
    status: 401,
  },
  {
    what: 'a path that does not exist',
    line: 'GET /nowhere admin',
    status: 404,
    contains: { reason: 'NotFound', status: 404, title: 'The object or path does not exist' },
  },
  {
    what: 'a model that does not exist',
    line: 'GET /apis/g.example/v1/todos admin',
    status: 404,
    contains: { reason: 'ModelNotFound' },
  },
  {
    what: 'a model in a version it does not have',
    line: 'GET /api/v1/roles admin',
    status: 404,
    contains: { reason: 'ModelNotFound' },
  },
  {
    what: 'an object that does not exist',
    line: 'GET /api/v1alpha1/roles/nobody admin',
    status: 404,
    contains: { reason: 'NotFound', detail: 'there is no role "nobody"' },
  },
  {
    what: 'a sub-resource that does not exist',
    line: 'GET /api/v1alpha1/roles/author/status admin',
    status: 404,
    contains: { reason: 'NotFound' },
  },
  { what: 'eight segments', line: 'GET /apis/a/b/c/d/e/f/g admin', status: 404 },
  {
    what: 'POST on an object, before anybody is asked who they are',
    line: 'POST /api/v1alpha1/roles/author',
    status: 405,
    contains: { reason: 'MethodNotAllowed' },
    answerHeaders: { allow: 'GET, HEAD' },
  },
  {
    what: 'a verb that is not served on an object',
    line: 'PUT /api/v1alpha1/roles/author admin',
    headers: json,
    body: '{}',
    status: 405,
    answerHeaders: { allow: 'GET, HEAD' },
  },
  {
    what: 'a verb that is not served on a collection',
    line: 'DELETE /api/v1alpha1/roles admin',
    status: 405,
    answerHeaders: { allow: 'GET, HEAD, POST' },
  },
  { what: 'a page that is written to', line: 'POST /livez admin', status: 405, answerHeaders: { allow: 'GET, HEAD' } },
  {
    what: 'a method that is no verb',
    line: 'OPTIONS /livez',
    status: 405,
    answerHeaders: { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
  },
  { what: 'a method that the router does not know', line: 'PURGE /livez', status: 405 },
  { what: 'an empty segment', line: 'GET /api//roles admin', status: 400, contains: { reason: 'BadRequest' } },
  {
    what: 'a ".." segment',
    line: 'GET /api/v1alpha1/../v1alpha1/roles admin',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  { what: 'an encoded ".."', line: 'GET /api/%2e%2e/roles/x admin', status: 400 },
  { what: 'an encoded slash', line: 'GET /api/v1alpha1/roles/a%2Fb admin', status: 400 },
  { what: 'an encoded NUL', line: 'GET /api/v1alpha1/roles/a%00 admin', status: 400 },
  {
    what: 'a path that is not UTF-8',
    line: 'GET /api/v1alpha1/roles/%ff admin',
    status: 400,
    contains: { reason: 'BadRequest', instance: '/api/v1alpha1/roles/%ff' },
  },
  { what: 'half an escape', line: 'GET /api/v1alpha1/roles/%f admin', status: 400, contains: { reason: 'BadRequest' } },
  {
    what: 'page zero',
    line: 'GET /api/v1alpha1/roles?page=0&size=1 admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'a size that is no number',
    line: 'GET /api/v1alpha1/roles?size=many admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'a size given twice',
    line: 'GET /api/v1alpha1/roles?size=1&size=2 admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'a second page without a size',
    line: 'GET /api/v1alpha1/roles?page=2 admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'a query parameter that is not served',
    line: 'GET /api/v1alpha1/roles?labelSelector=a admin',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a body of another kind',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"kind":"Rule"}',
    status: 400,
    contains: { reason: 'TypeMismatch' },
  },
  {
    what: 'a body that is no object',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '[]',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a body that is no JSON',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a body of another type',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { 'content-type': 'text/yaml' },
    body: 'a: b',
    status: 415,
    contains: { reason: 'UnsupportedMediaType' },
  },
  {
    what: 'a content type that cannot be read',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { 'content-type': '!' },
    body: 'x',
    status: 415,
    contains: { reason: 'UnsupportedMediaType' },
  },
  { what: 'a body without a type', line: 'POST /api/v1alpha1/roles admin', body: '{}', status: 415 },
  {
    what: 'a name that is taken',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"author"},"rules":[]}',
    status: 409,
    contains: { reason: 'AlreadyExists' },
  },
  {
    what: 'a body above 1 MiB',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: `"${'x'.repeat(1024 * 1024)}"`,
    status: 413,
    contains: { reason: 'PayloadTooLarge' },
  },
  {
    what: 'a body above 1 MiB whose length is not announced',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { ...json, 'transfer-encoding': 'chunked' },
    body: `"${'x'.repeat(3 * 1024 * 1024)}"`,
    status: 413,
  },
  {
    what: 'a rule of both kinds',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"},"rules":[{"nonResourceURLs":["/x"],"resources":["y"],"verbs":["get"]}]}',
    status: 422,
    contains: {
      reason: 'Invalid',
      errors: [
        {
          pointer: '/rules/0/resources',
          field: 'rules[0].resources',
          rule: 'unknown',
          message: 'is not a known field',
        },
      ],
    },
  },
  {
    what: 'a rule without verbs',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"},"rules":[{"nonResourceURLs":["/x"],"verbs":[]}]}',
    status: 422,
  },
  {
    what: 'a role without rules',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"}}',
    status: 422,
  },
]

const engines: readonly (readonly [name: string, open: () => Promise<{ url: string } & AsyncDisposable>])[] = [
  ['SQLite', async () => sqliteFile()],
  ...postgresVersions.map(
    (version) => [`PostgreSQL ${version}`, () => createDatabase(inject('postgres')[version])] as const,
  ),
]

for (const [engine, open] of engines) {
  describe(`a server on ${engine}:`, () => {
    let server: Server
    const log: string[] = []
    const resources = new AsyncDisposableStack()
    beforeAll(async () => {
      const database = resources.use(await open())
      server = await start(database.url, log)
      resources.defer(async () => {
        await server.close()
      })
    })
    afterAll(() => resources.disposeAsync())

    for (const row of rows) {
      test(`${row.status} for ${row.what}`, async () => {
        const answer = await send(server.url, row)
        expect(answer).toMatchObject({ status: row.status, headers: row.answerHeaders ?? {} })
        if (typeof row.contains === 'string') expect(answer.body).toContain(row.contains)
        else if (row.contains) expect(JSON.parse(answer.body)).toMatchObject(row.contains)
        if (row.status >= 400) {
          expect(JSON.parse(answer.body)).toMatchObject({
            status: row.status,
            requestId: answer.headers['pergola-request-id'],
          })
        }
      })
    }

    test('what was created can be read back, and is the same', async () => {
      const body = '{"metadata":{"generateName":"same-"},"rules":[]}'
      const created = await send(server.url, { line: 'POST /api/v1alpha1/roles admin', headers: json, body })
      const read = await send(server.url, { line: `GET ${String(created.headers.location)} admin` })
      expect(read.body).toBe(created.body)
    })

    test('a list of more than one page is streamed whole, newest first', async () => {
      const many = 601
      for (let at = 0; at < many; at++) {
        const body = `{"metadata":{"name":"bulk-${at}"},"rules":[]}`
        await send(server.url, { line: 'POST /api/v1alpha1/roles admin', headers: json, body })
      }
      const { body, headers } = await send(server.url, { line: 'GET /api/v1alpha1/roles admin' })
      const list = JSON.parse(body) as { total: number; size: number; items: { metadata: { name: string } }[] }
      const names = list.items.map(({ metadata }) => metadata.name)
      expect(headers['transfer-encoding']).toBe('chunked')
      expect(names.slice(0, many)).toEqual(Array.from({ length: many }, (_, at) => `bulk-${many - 1 - at}`))
      expect(new Set(names).size).toBe(list.total)
      expect(list.size).toBe(list.total)
      expect((await send(server.url, { line: 'HEAD /api/v1alpha1/roles admin' })).status).toBe(200)
      const sized = await send(server.url, { line: 'GET /api/v1alpha1/roles?size=550&page=2 admin' })
      const second = JSON.parse(sized.body) as typeof list
      expect(second.items.map(({ metadata }) => metadata.name)).toEqual(names.slice(550, 1100))
    })

    test('bytes that are no HTTP get a problem, too', async () => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.end('hello\r\n\r\n')
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"reason":"BadRequest"/)
    })

    test('every request is one line in the log, with its id and caller', async () => {
      log.length = 0
      const { headers } = await send(server.url, { line: 'GET /api/v1alpha1/roles/nobody admin' })
      await expect.poll(() => log).toHaveLength(1)
      expect(JSON.parse(String(log[0]))).toMatchObject({
        requestId: headers['pergola-request-id'],
        method: 'GET',
        target: '/api/v1alpha1/roles/nobody',
        status: 404,
        verb: 'get',
        user: 'admin',
        reason: 'NotFound',
      })
    })

    test('a second start finds its roles and leaves them alone', async () => {
      await using database = await open()
      const author = { line: 'GET /api/v1alpha1/roles/author admin' }
      const first = await start(database.url, [])
      const before = await send(first.url, author)
      expect(await first.close()).toBe(0)
      const second = await start(database.url, [])
      const after = await send(second.url, author)
      expect(await second.close()).toBe(0)
      expect(after.body).toBe(before.body)
    })
  })
}

test('a database that goes away makes the server unready and its answers a bare 500, not dead', async () => {
  const database = await createDatabase(inject('postgres')['18'])
  const log: string[] = []
  const server = await start(database.url, log)
  await database[Symbol.asyncDispose]()
  const list = await send(server.url, { line: 'GET /api/v1alpha1/roles admin' })
  expect(list.status).toBe(500)
  expect(JSON.parse(list.body)).toMatchObject({
    reason: 'Internal',
    detail: 'the server failed; its log has the details under this request id',
  })
  expect(log.join('')).toContain('does not exist')
  expect((await send(server.url, { line: 'GET /readyz?verbose' })).body).toMatch(
    /\[failed\] database .*does not exist\nnot ready: database\n/,
  )
  expect((await send(server.url, { line: 'GET /readyz' })).status).toBe(503)
  expect((await send(server.url, { line: 'GET /livez' })).status).toBe(200)
  await server.close()
})

async function start(url: string, lines: string[]): Promise<Server> {
  return assemble({
    config: loadConfig({
      env: { PERGOLA_DATABASE_URL: url, PERGOLA_SERVER_PORT: '0', PERGOLA_SERVER_DRAIN_TIMEOUT: '5' },
    }),
    administratorToken: token,
    log: createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) }),
  })
}

async function send(url: string, { line, headers = {}, body }: Pick<Row, 'line' | 'headers' | 'body'>) {
  const [method, path, who] = line.split(' ')
  const { hostname, port } = new URL(url)
  const request = httpRequest({ hostname, port, method, path, headers: { ...(who && admin), ...headers } })
  request.end(body)
  const [response] = (await once(request, 'response')) as [
    { statusCode: number; headers: IncomingHttpHeaders } & NodeJS.ReadableStream,
  ]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

function sqliteFile() {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-assemble-'))
  return {
    url: `sqlite:${join(directory, 'test.db')}`,
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true }),
  }
}
