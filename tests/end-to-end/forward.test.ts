import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../packages/server/src/base/log.ts'
import { forward } from '../../packages/server/src/plugins/custom-api/forward.ts'
import { handOn } from '../../packages/server/src/plugins/custom-api/hand-on.ts'
import { createClientReader } from '../../packages/server/src/http/client.ts'
import { createCors } from '../../packages/server/src/http/cors.ts'
import { listen, type Listener } from '../../packages/server/src/http/listener.ts'

/** Between two parts of an answer, at most. */
const stalledMs = 2_000
const slowEveryMs = 20
const directory = mkdtempSync(join(tmpdir(), 'pergola-forward-'))
const socketPath = join(directory, 'plugin.sock')
const lines: string[] = []
const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) })
const pool = new Pool('http://plugin', { socketPath })
const absent = new Pool('http://plugin', { socketPath: join(directory, 'nobody.sock') })
const maxBody = 1_000
const { signal: stopping } = new AbortController()
let abandoned = 0
/** Bytes that the one without an end got rid of. */
let given = 0

/** What a plugin does, by path. */
const answers: Readonly<Record<string, RequestListener>> = {
  '/echo': (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      response.setHeader('set-cookie', 'stolen=1')
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }))
    })
  },
  '/slowly': (_, response) => {
    response.write('first;')
    const timer = setInterval(() => response.write('more;'), slowEveryMs)
    response.on('close', () => {
      clearInterval(timer)
      abandoned++
    })
  },
  '/endless': (_, response) => {
    const chunk = Buffer.alloc(64 * 1_024)
    const give = () => {
      do given += chunk.length
      while (response.write(chunk))
    }
    response.on('drain', give)
    give()
  },
  '/teapot': (_, response) => response.writeHead(418, { 'content-type': 'text/plain' }).end('short and stout'),
  '/silent': (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  '/never': () => {},
  '/cut': (request) => request.socket.destroy(),
  '/half': (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.socket?.destroy(), 30)
  },
  '/stalls': (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: x\n\n'),
  '/garbage': (_, response) => response.socket?.end('this is not HTTP\r\n\r\n'),
}
const plugin = createServer((request, response) => {
  const path = request.url?.split('?')[0] ?? ''
  answers[path]?.(request, response)
})

let listener: Listener
beforeAll(async () => {
  plugin.listen(socketPath)
  await once(plugin, 'listening')
  listener = await listen({
    at: { host: '127.0.0.1', port: 0 },
    log,
    cors: createCors(new Set()),
    clientOf: createClientReader([]),
    checkClient: () => {},
    handle: async (request) => {
      const way = request.target === '/absent' ? absent : pool
      const door = {
        name: 'test',
        pool: way,
        streams: way,
        socket: socketPath,
        authorization: 'Bearer pgp_1',
        stopping,
      }
      return forward(door, request, { caller: { name: 'ann', token: 'pgc_1' }, maxBody, answerMs: 2_000, stalledMs })
    },
  })
})
afterAll(async () => {
  await listener.close({ delayMs: 0, timeoutMs: 500, endStreams: () => {} })
  await Promise.all([pool.destroy(), absent.destroy()])
  plugin.closeAllConnections()
  plugin.close()
  rmSync(directory, { recursive: true })
})

const ask = (path: string, init?: RequestInit) => fetch(`${listener.url}${path}`, init)

test('a request comes to the plugin as it was sent, and its answer back', async () => {
  const headers = { authorization: 'Bearer pgl_secret', cookie: 'a=b', 'x-own': '1', 'content-type': 'text/csv' }
  const answer = await ask('/echo?a=1&b=%2F', { method: 'PUT', headers, body: 'one,two' })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-security-policy')).toBe('sandbox')
  expect(answer.headers.get('set-cookie')).toBeNull()
  const { headers: got, ...rest } = (await answer.json()) as { headers: Record<string, string> }
  expect(rest).toEqual({ method: 'PUT', url: '/echo?a=1&b=%2F', body: 'one,two' })
  const requestId = answer.headers.get('pergola-request-id')
  expect(got).toMatchObject({ 'x-own': '1', 'content-type': 'text/csv', authorization: 'Bearer pgp_1' })
  expect(got).toMatchObject({
    'pergola-caller': 'ann',
    'pergola-caller-token': 'pgc_1',
    'pergola-request-id': requestId,
  })
  expect(JSON.stringify(got)).not.toMatch(/pgl_secret|a=b/)
})

test('its status and type are its own', async () => {
  const answer = await ask('/teapot')
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    418,
    'text/plain',
    'short and stout',
  ])
})

test('a body that says how long it is, and one that does not, go through; too much of either is 413', async () => {
  const chunked = (size: number) => ({
    method: 'POST',
    body: new Blob(['x'.repeat(size)]).stream(),
    duplex: 'half' as const,
  })
  expect(((await (await ask('/echo', chunked(900))).json()) as { body: string }).body).toHaveLength(900)
  expect((await ask('/echo', { method: 'POST', body: 'x'.repeat(1_001) })).status).toBe(413)
  expect((await ask('/echo', chunked(1_001))).status).toBe(413)
  expect((await ask('/teapot')).status).toBe(418)
})

test('an answer comes as it is given, and the plugin is told when nobody reads it any more', async () => {
  const request = httpRequest(`${listener.url}/slowly`, { agent: false }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const [chunk] = (await once(response, 'data')) as [Buffer]
  expect(chunk.toString()).toMatch(/^first;/)
  expect(abandoned).toBe(0)
  request.destroy()
  await expect.poll(() => abandoned).toBe(1)
})

test('an answer comes no faster than it is read', async () => {
  const request = httpRequest(`${listener.url}/endless`, { agent: false }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // What there is room for on the way, and no more.
  await sleep(500)
  const held = given
  await sleep(300)
  expect(given).toBe(held)
  expect(held).toBeLessThan(32 * 1_024 * 1_024)
  response.resume()
  await expect.poll(() => given).toBeGreaterThan(2 * held)
  request.destroy()
})

test('an answer that cannot be written any more ends itself alone', async () => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('nobody is there')) })
  const closed = new Promise((resolve) => void gone.once('close', resolve))
  const handed = handOn(pool, {
    options: { method: 'GET', path: '/teapot' },
    begin: () => gone,
    whenGone: (stop) => void gone.once('close', stop),
  })
  await handed.catch(() => {})
  await closed
  expect((await ask('/teapot')).status).toBe(418)
})

describe('a plugin that does not answer is told as', () => {
  const cases: readonly (readonly [path: string, status: number, reason: string])[] = [
    ['/never', 504, 'PluginTimeout'],
    ['/cut', 502, 'PluginFailed'],
    ['/garbage', 502, 'PluginFailed'],
    ['/absent', 503, 'PluginNotStarted'],
  ]
  for (const [path, status, reason] of cases) {
    test(`${status} ${reason} for ${path}`, async () => {
      const answer = await ask(path)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      expect(await answer.json()).toMatchObject({ reason, detail: expect.stringContaining('the plugin test') })
    })
  }
})

test('a stream that is silent at first has begun all the same', async () => {
  const stop = new AbortController()
  const response = await fetch(`${listener.url}/silent`, { signal: stop.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  stop.abort()
})

test('half an answer is cut, never ended as if it were whole', async () => {
  const answer = await ask('/half')
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow('terminated')
  await sleep(20)
  const cut = lines.filter((line) => line.includes('response aborted after it had begun'))
  expect(cut).toEqual([expect.stringContaining('the plugin test failed to answer')])
})

test('an answer that has begun and does not go on is cut', async () => {
  const answer = await ask('/stalls')
  expect(answer.status).toBe(200)
  // What has come until then is there.
  const reader = answer.body?.getReader()
  expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('data: x\n\n')
  await expect(reader?.read()).rejects.toThrow('terminated')
})

test('an answer that comes slowly, and goes on, is not', async () => {
  const answer = await ask('/slowly')
  const reader = answer.body?.getReader()
  // Together they take longer than a single one may.
  const enough = 'more;'.length * ((1.5 * stalledMs) / slowEveryMs)
  for (let length = 0; length < enough;) {
    const { done, value } = (await reader?.read()) ?? {}
    expect(done).toBe(false)
    length += value?.length ?? 0
  }
  await reader?.cancel()
})
