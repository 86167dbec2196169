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
import { proxyToPlugin } from '../../packages/server/src/plugins/custom-api/proxy-to-plugin.ts'
import { proxyRequest } from '../../packages/server/src/plugins/custom-api/proxy-request.ts'
import { createClientReader } from '../../packages/server/src/http/client.ts'
import { createCors } from '../../packages/server/src/http/cors.ts'
import { createListener, type Listener } from '../../packages/server/src/http/listener.ts'

/** Timeout between two chunks of a response. */
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
/** Bytes that `/endless` has written. */
let given = 0

/** Behaviour of the plugin, by path. */
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
  listener = createListener({ at: { host: '127.0.0.1', port: 0 }, log })
  await listener.open({
    cors: createCors(new Set()),
    clientOf: createClientReader([]),
    checkClient: () => {},
    handle: async (request) => {
      const way = request.target === '/absent' ? absent : pool
      const door = {
        name: 'test',
        pool: way,
        share: { take: () => () => {} },
        streams: way,
        socket: socketPath,
        authorization: 'Bearer pgp_1',
        stopping,
      }
      return proxyToPlugin(door, request, {
        caller: { name: 'ann', token: 'pgc_1' },
        maxBody,
        answerMs: 2_000,
        stalledMs,
      })
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

test('a request is forwarded without credentials, and the response without forbidden headers', async () => {
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

test('status and content type of the plugin are kept', async () => {
  const answer = await ask('/teapot')
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    418,
    'text/plain',
    'short and stout',
  ])
})

test('bodies with and without Content-Length are forwarded; above the limit either is 413', async () => {
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

test('a response is streamed, and the plugin notices when the client disconnects', async () => {
  const request = httpRequest(`${listener.url}/slowly`, { agent: false }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const [chunk] = (await once(response, 'data')) as [Buffer]
  expect(chunk.toString()).toMatch(/^first;/)
  expect(abandoned).toBe(0)
  request.destroy()
  await expect.poll(() => abandoned).toBe(1)
})

test('a slow reader causes backpressure on the plugin', async () => {
  const request = httpRequest(`${listener.url}/endless`, { agent: false }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // Only what fits into the buffers on the way.
  await sleep(500)
  const held = given
  await sleep(300)
  expect(given).toBe(held)
  expect(held).toBeLessThan(32 * 1_024 * 1_024)
  response.resume()
  await expect.poll(() => given).toBeGreaterThan(2 * held)
  request.destroy()
})

test('a failed write ends only its own response', async () => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('nobody is there')) })
  const closed = new Promise((resolve) => void gone.once('close', resolve))
  const handed = proxyRequest(pool, {
    options: { method: 'GET', path: '/teapot' },
    begin: () => gone,
    whenGone: (stop) => void gone.once('close', stop),
  })
  await handed.catch(() => {})
  await closed
  expect((await ask('/teapot')).status).toBe(418)
})

describe('a plugin that does not answer is reported as', () => {
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

test('the headers of a stream are sent before its first event', async () => {
  const stop = new AbortController()
  const response = await fetch(`${listener.url}/silent`, { signal: stop.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  stop.abort()
})

test('a truncated response resets the connection instead of ending normally', async () => {
  const answer = await ask('/half')
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow('terminated')
  await sleep(20)
  const cut = lines.filter((line) => line.includes('response aborted after it had begun'))
  expect(cut).toEqual([expect.stringContaining('the plugin test failed to answer')])
})

test('a response that stalls is cut', async () => {
  const answer = await ask('/stalls')
  expect(answer.status).toBe(200)
  // The data before the stall arrives.
  const reader = answer.body?.getReader()
  expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('data: x\n\n')
  await expect(reader?.read()).rejects.toThrow('terminated')
})

test('a slow response that keeps sending is not cut', async () => {
  const answer = await ask('/slowly')
  const reader = answer.body?.getReader()
  // In total this takes longer than the stall timeout.
  const enough = 'more;'.length * ((1.5 * stalledMs) / slowEveryMs)
  for (let length = 0; length < enough;) {
    const { done, value } = (await reader?.read()) ?? {}
    expect(done).toBe(false)
    length += value?.length ?? 0
  }
  await reader?.cancel()
})
