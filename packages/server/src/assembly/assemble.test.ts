import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createDatabase } from '@pergola/test-servers'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { seedAdministrator } from '../../../../tests/end-to-end/seed-administrator.ts'
import { json, requestRows, token, type RequestRow } from './assemble.rows.ts'
import { assemble } from './assemble.ts'
import type { Server } from '../server.ts'
import { loadConfig } from '../config/config.ts'
import { createLog } from '../base/log.ts'

const admin = { authorization: `Bearer ${token}` }

const engines: readonly (readonly [name: string, open: () => Promise<{ url: string } & AsyncDisposable>])[] = [
  ['SQLite', async () => sqliteFile()],
  ['PostgreSQL 18', () => createDatabase(inject('postgres')['18'])] as const,
]

for (const [engine, open] of engines) {
  describe(`a server on ${engine}:`, () => {
    let server: Server
    const log: string[] = []
    const resources = new AsyncDisposableStack()
    beforeAll(async () => {
      const database = resources.use(await open())
      await seedAdministrator(database.url, token)
      server = await start(database.url, log)
      resources.defer(async () => {
        await server.close()
      })
    })
    afterAll(() => resources.disposeAsync())

    for (const row of requestRows) {
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

    test('the Location of a created object returns the same object', async () => {
      const body = '{"metadata":{"generateName":"same-"},"rules":[]}'
      const created = await send(server.url, { line: 'POST /api/v1alpha1/roles admin', headers: json, body })
      const read = await send(server.url, { line: `GET ${String(created.headers.location)} admin` })
      expect(read.body).toBe(created.body)
    })

    test('HEAD has the Content-Length of GET and no body', async () => {
      const get = await send(server.url, { line: 'GET /api/v1alpha1/roles/author admin' })
      const head = await send(server.url, { line: 'HEAD /api/v1alpha1/roles/author admin' })
      expect(head).toMatchObject({ status: 200, body: '', headers: { 'content-length': String(get.body.length) } })
    })

    test('HEAD on a list, and a list whose client disconnects, release their slot', async () => {
      const list = '/api/v1alpha1/roles'
      for (let times = 0; times < 10; times++) {
        expect(await send(server.url, { line: `HEAD ${list} admin` })).toMatchObject({ status: 200, body: '' })
      }
      await Promise.all(Array.from({ length: 10 }, () => askAndLeave(server.url, list)))
      await expect.poll(async () => (await send(server.url, { line: `GET ${list} admin` })).status).toBe(200)
    })

    test('a name of 253 characters is found by its path', async () => {
      const name = 'a'.repeat(253)
      const body = JSON.stringify({ metadata: { name }, rules: [] })
      await send(server.url, { line: 'POST /api/v1alpha1/roles admin', headers: json, body })
      expect((await send(server.url, { line: `GET /api/v1alpha1/roles/${name} admin` })).status).toBe(200)
    })

    test('Expect: 100-continue is answered only for an authorized request', async () => {
      const expectant = { ...json, expect: '100-continue' }
      const body = '{"metadata":{"generateName":"expected-"},"rules":[]}'
      const ask = (extra: object) =>
        new Promise<{ told: boolean; status: number | undefined }>((resolve, reject) => {
          const { hostname, port } = new URL(server.url)
          const headers = { ...expectant, 'content-length': body.length, ...extra }
          const request = httpRequest({
            hostname,
            port,
            method: 'POST',
            path: '/api/v1alpha1/roles',
            headers,
            agent: false,
          })
          let told = false
          request.once('continue', () => {
            told = true
            request.end(body)
          })
          request.once('response', ({ statusCode }) => resolve({ told, status: statusCode }))
          request.once('error', reject)
          request.flushHeaders()
        })
      expect(await ask(admin)).toEqual({ told: true, status: 201 })
      expect(await ask({})).toEqual({ told: false, status: 401 })
    })

    test('a list larger than one page is streamed completely, newest first', async () => {
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

    test('an unbounded list that is not read to its end releases its slot', async () => {
      const line = 'roles admin'
      for (let at = 0; at < 5; at++) {
        expect((await send(server.url, { line: `HEAD /api/v1alpha1/${line}` })).status).toBe(200)
      }
      for (let at = 0; at < 5; at++) {
        const { hostname, port } = new URL(server.url)
        const request = httpRequest({ hostname, port, path: '/api/v1alpha1/roles', headers: admin, agent: false })
        request.on('error', () => {}).end()
        if (at % 2 === 0) await once(request, 'response')
        request.destroy()
      }
      await expect.poll(async () => (await send(server.url, { line: `GET /api/v1alpha1/${line}` })).status).toBe(200)
    })

    test('bytes that are not HTTP get a problem response', async () => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.end('hello\r\n\r\n')
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"reason":"BadRequest"/)
    })

    test('every request logs one line with its id and caller', async () => {
      const { headers } = await send(server.url, { line: 'GET /api/v1alpha1/roles/nobody admin' })
      const requestId = String(headers['pergola-request-id'])
      const ofRequest = () => log.map(String).filter((line) => line.includes(requestId))
      await expect.poll(ofRequest).toHaveLength(1)
      expect(JSON.parse(ofRequest()[0] ?? '')).toMatchObject({
        requestId,
        method: 'GET',
        target: '/api/v1alpha1/roles/nobody',
        status: 404,
        verb: 'get',
        user: 'admin',
        reason: 'NotFound',
      })
    })

    test('the query of an OIDC callback is not logged', async () => {
      log.length = 0
      await send(server.url, { line: 'GET /auth/oidc/a/callback?code=secret&state=secret' })
      await expect.poll(() => log).toHaveLength(1)
      expect(JSON.parse(String(log[0]))).toMatchObject({ target: '/auth/oidc/a/callback', status: 404 })
    })

    test('a second start does not change the built-in roles', async () => {
      await using database = await open()
      await seedAdministrator(database.url, token)
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

test('without its database the server is unready and answers 503, but stays alive', async () => {
  const database = await createDatabase(inject('postgres')['18'])
  await seedAdministrator(database.url, token)
  const log: string[] = []
  const server = await start(database.url, log)
  expect((await send(server.url, { line: 'GET /api/v1alpha1/roles admin' })).status).toBe(200)
  await database[Symbol.asyncDispose]()
  const list = await send(server.url, { line: 'GET /api/v1alpha1/roles admin' })
  expect(list.status).toBe(503)
  expect(JSON.parse(list.body)).toMatchObject({ reason: 'Unavailable' })
  expect(log.join('')).toContain('the database does not answer')
  expect((await send(server.url, { line: 'GET /readyz?verbose' })).body).toMatch(
    /\[failed\] database\n\[ok\] {5}secrets\n\[ok\] {5}plugins\nnot ready: database\n/,
  )
  expect((await send(server.url, { line: 'GET /readyz' })).status).toBe(503)
  expect((await send(server.url, { line: 'GET /livez' })).status).toBe(200)
  await server.close()
})

test('each start with server.allowInsecureLogin warns of the risk and names the way out', async () => {
  await using database = sqliteFile()
  const warnings = async (env: Record<string, string>) => {
    const log: string[] = []
    const server = await start(database.url, log, env)
    await server.close()
    return log.map((line) => JSON.parse(line) as { setting?: string; msg: string }).filter(({ setting }) => setting)
  }
  const told = [
    { setting: 'server.allowInsecureLogin', level: 'warn', msg: expect.stringMatching(/intercepted; serve https/) },
  ]
  const insecure = { PERGOLA_SERVER_ALLOW_INSECURE_LOGIN: 'true' }
  expect(await warnings(insecure)).toMatchObject(told)
  expect(await warnings(insecure)).toMatchObject(told)
  expect(await warnings({})).toEqual([])
})

async function start(url: string, lines: string[], env: Record<string, string> = {}): Promise<Server> {
  return assemble({
    config: loadConfig({
      env: {
        PERGOLA_DATABASE_URL: url,
        PERGOLA_SERVER_PORT: '0',
        PERGOLA_SERVER_STOP_DELAY: '0',
        PERGOLA_SERVER_DRAIN_TIMEOUT: '5',
        ...env,
      },
    }),
    log: createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) }),
  })
}

async function send(url: string, { line, headers = {}, body }: Pick<RequestRow, 'line' | 'headers' | 'body'>) {
  const [method, path, who] = line.split(' ')
  const { hostname, port } = new URL(url)
  const request = httpRequest({ hostname, port, method, path, headers: { ...(who && admin), ...headers } })
  request.end(body)
  const [response] = (await once(request, 'response')) as [
    { statusCode: number; headers: IncomingHttpHeaders } & NodeJS.ReadableStream,
  ]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** Requests a list and closes the connection before the response. */
async function askAndLeave(url: string, path: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`, () => socket.destroy())
  await once(socket, 'close')
}

function sqliteFile() {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-assemble-'))
  return {
    url: `sqlite:${join(directory, 'test.db')}`,
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true }),
  }
}
