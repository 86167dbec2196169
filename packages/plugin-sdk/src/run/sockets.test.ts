import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { definePlugin, forbidden, route, type CallContext } from '../index.ts'
import { createPluginServer, type PluginServer } from './plugin-server.ts'

const token = 'pgp_test'
const seen = { aborted: 0, ended: 0, taken: 0 }
let release = () => {}

const app = new Hono<{ Bindings: CallContext }>().basePath('/apis/api.talk.example.com/v1')
app.use(async (context, next) => {
  await next()
  context.header('x-made-by', 'hono')
})
app.get('/rooms/:name', ({ req, env }) =>
  env.upgrade(async (socket) => {
    for await (const message of socket) await socket.send(`${req.param('name')} ${env.caller.name}: ${String(message)}`)
  }),
)
app.post('/rooms/:name', async (context) =>
  context.json({ room: context.req.param('name'), said: await context.req.json() }),
)
app.get('/broken', ({ env }) => {
  env.upgrade(async () => {})
  throw new Error('after all')
})

const plugin = definePlugin({
  name: 'talk',
  api: 'talk.example.com/v1',
  console: [
    route('GET /echo', { stream: true }, ({ upgrade, signal }) =>
      upgrade(
        async (socket) => {
          signal.addEventListener('abort', () => seen.aborted++)
          for await (const message of socket) {
            if (message === 'throw') throw new Error('the secret reason')
            if (message === 'close') socket.close(4001, 'as told')
            await socket.send(message)
          }
          seen.ended++
        },
        { protocols: ['b', 'a'], maxMessage: 1000 },
      ),
    ),
    route('GET /slow', { stream: true }, ({ upgrade }) =>
      upgrade(async (socket) => {
        await new Promise<void>((resolve) => (release = resolve))
        for await (const _ of socket) seen.taken++
      }),
    ),
    route('GET /refused', { stream: true }, () => forbidden('not today')),
    route('GET /events', { stream: true }, () => new Response('data: x\n\n')),
    route('GET /plain', {}, () => ({})),
  ],
  public: app,
})

const directory = mkdtempSync(join(tmpdir(), 'pergola-sockets-'))
const log: string[] = []
let sockets = 0
async function start(): Promise<{ server: PluginServer; socket: string }> {
  const socket = join(directory, `${++sockets}.sock`)
  const server = createPluginServer(plugin, { token, host: join(directory, 'nobody'), log: (line) => log.push(line) })
  await server.listen(socket)
  return { server, socket }
}

let shared: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  shared = await start()
})
afterAll(async () => {
  await shared.server.stop()
  rmSync(directory, { recursive: true })
})

interface Opening {
  readonly protocols?: readonly string[]
  readonly authorization?: string
  readonly socket?: string
}

/** Opens a WebSocket: its messages, its close code, or the response that rejected it. */
async function open(path: string, { protocols = [], authorization = `Bearer ${token}`, ...options }: Opening = {}) {
  const whole = path.startsWith('/apis') ? path : `/apis/console.api.talk.example.com/v1${path}`
  const at = `ws+unix:${options.socket ?? shared.socket}:${whole}`
  const webSocket = new WebSocket(at, [...protocols], { headers: { authorization, 'pergola-caller': 'ann' } })
  const messages: string[] = []
  webSocket.on('message', (data, isBinary) =>
    messages.push(`${isBinary ? 'bytes ' : ''}${(data as Buffer).toString()}`),
  )
  const closed = new Promise<string>((resolve) =>
    webSocket.on('close', (code, reason) => resolve(`${code} ${reason.toString()}`.trim())),
  )
  const refused = await new Promise<string | undefined>((resolve) => {
    webSocket.on('open', () => resolve(undefined))
    webSocket.on('unexpected-response', (_, response) => {
      void text(response).then((body) => resolve(`${response.statusCode} ${body}`))
    })
    webSocket.on('error', () => {})
  })
  return { webSocket, messages, closed, refused }
}

test('text and binary messages go both ways, in the subprotocol that the plugin prefers', async () => {
  const { webSocket, messages, closed } = await open('/echo', { protocols: ['a', 'b'] })
  expect(webSocket.protocol).toBe('b')
  webSocket.send('hello')
  webSocket.send(Buffer.from('hello'))
  await expect.poll(() => messages).toEqual(['hello', 'bytes hello'])
  webSocket.send('close')
  expect(await closed).toBe('4001 as told')
})

test('a close by the client ends the reading in the handler', async () => {
  const { ended } = seen
  const { webSocket, closed } = await open('/echo')
  webSocket.close(1000)
  expect(await closed).toBe('1000')
  await expect.poll(() => seen.ended).toBe(ended + 1)
})

test('a dropped connection aborts the signal of the handler', async () => {
  const { aborted, ended } = seen
  const { webSocket } = await open('/echo')
  webSocket.terminate()
  await expect.poll(() => [seen.aborted, seen.ended]).toEqual([aborted + 1, ended + 1])
})

test('an error in the handler closes with 1011 and is logged', async () => {
  const { webSocket, closed } = await open('/echo')
  webSocket.send('throw')
  expect(await closed).toBe('1011 the plugin failed')
  expect(log.some((line) => /GET \S+\/echo failed .*the secret reason/.test(line))).toBe(true)
})

test('a message over the size limit closes with 1009', async () => {
  const { webSocket, closed } = await open('/echo')
  webSocket.send('x'.repeat(1001))
  expect(await closed).toBe('1009')
})

const refusals: readonly (readonly [what: string, path: string, answer: string, options?: Opening])[] = [
  ['without the token', '/echo', '401 "Unauthenticated"', { authorization: 'Bearer pgp_other' }],
  ['that the handler rejects', '/refused', '403 "Forbidden"'],
  ['to a route with only an event stream', '/events', '400 "BadRequest"'],
  ['to a route that is not a stream', '/plain', '405 "MethodNotAllowed"'],
  ['to an unknown path', '/nowhere', '404 "NotFound"'],
  ['with an unsupported subprotocol', '/echo', '400 "BadRequest"', { protocols: ['c'] }],
]
for (const [what, path, answer, options] of refusals) {
  test(`rejects an upgrade ${what}`, async () => {
    const { refused = '' } = await open(path, options)
    const [status, body = ''] = refused.split(/ (.*)/s)
    expect(`${status} ${JSON.stringify((JSON.parse(body) as { reason: string }).reason)}`).toBe(answer)
  })
}

test('a client that sends faster than the handler reads is slowed down', async () => {
  const { webSocket } = await open('/slow')
  const message = 'x'.repeat(64 * 1024)
  for (let times = 0; times < 200; times++) webSocket.send(message)
  // Both ends are in this process: in so many turns, everything would have been read.
  for (let turn = 0; turn < 5_000; turn++) await setImmediate()
  expect(webSocket.bufferedAmount).toBeGreaterThan(1_000_000)
  release()
  await expect.poll(() => seen.taken).toBe(200)
  webSocket.close()
})

test('a stop closes with 1001', async () => {
  const own = await start()
  const { closed } = await open('/echo', { socket: own.socket })
  await own.server.stop()
  expect(await closed).toBe('1001 the plugin stops')
})

test('a stop waits at most 4.5 s for clients that do not answer the close', async () => {
  const own = await start()
  const { webSocket, closed } = await open('/echo', { socket: own.socket })
  webSocket.pause()
  // Only the fake timers advance, so the 30 s close timeout of the library does not fire.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let isStopped = false
  const stopping = own.server.stop().then(() => (isStopped = true))
  await vi.advanceTimersByTimeAsync(4_499)
  expect(isStopped).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await stopping
  vi.useRealTimers()
  webSocket.resume()
  await closed
})

test('a Hono app serves requests and WebSockets with its own middleware', async () => {
  const base = '/apis/api.talk.example.com/v1'
  const { webSocket, messages } = await open(`${base}/rooms/hall`)
  webSocket.send('hello')
  await expect.poll(() => messages).toEqual(['hall ann: hello'])
  webSocket.close()
  expect((await open(`${base}/broken`)).refused).toMatch(/^500/)
  expect((await open(`${base}/nowhere`)).refused).toMatch(/^404/)
})
