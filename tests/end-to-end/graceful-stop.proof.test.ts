import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '@pergola/test-servers'
import { Client } from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { startPergola, type PergolaProcess } from './pergola-process.ts'
import { seedAdministrator } from './seed-administrator.ts'

const token = 'pgs_graceful-stop-graceful-stop-graceful-stop'
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

/** Outcome of requests sent during the stop. A refused connection does not count as cut, because no request was sent. */
interface Outcome {
  answered: number
  readonly cut: string[]
}

const engines = [
  ['SQLite', async () => sqliteFile()],
  ['PostgreSQL', () => createDatabase(inject('postgres')['18'])],
] as const

for (const [engine, open] of engines) {
  describe(`SIGTERM under load, on ${engine}`, () => {
    test('cuts no request, stream or upload, and exits with 0', { timeout: 600_000 }, async () => {
      await using database = await open()
      await using pergola = await startServer(database.url)
      const url = await pergola.url()
      await fillWithRoles(url, 600)

      const outcome: Outcome = { answered: 0, cut: [] }
      const agent = new Agent({ keepAlive: true, maxSockets: 16 })
      const load = Array.from({ length: 16 }, () => keepAsking(url, agent, outcome))
      await expect.poll(() => outcome.answered).toBeGreaterThan(200)
      const watchful = watchfulClients(url, outcome)
      // Together with the pipelined one this is the limit of unbounded lists per caller.
      const streams = [readSlowly(url)]
      const uploads = Array.from({ length: 4 }, (_, at) => uploadSlowly(url, `uploaded-${at}`))
      const pipelined = pipelineTwo(url)
      const slowHead = sendHeadSlowly(url)
      await using _silent = await silentPeer(url)
      await sleep(300)

      const stopped = performance.now()
      pergola.signal('SIGTERM')
      const exitCode = await pergola.exited
      const seconds = (performance.now() - stopped) / 1000
      await Promise.all([...load, watchful])
      agent.destroy()

      expect(outcome.cut).toEqual([])
      for (const stream of await Promise.all(streams)) expect(stream.total).toBe(stream.items.length)
      expect(await Promise.all(uploads)).toEqual([201, 201, 201, 201])
      expect(await pipelined).toBe(2)
      expect(await slowHead).toMatch(/^HTTP\/1\.1 200 OK/)
      expect(exitCode).toBe(0)
      // The slow requests must still run when the signal arrives, otherwise the test proves nothing.
      expect(seconds).toBeGreaterThan(1)
    })
  })
}

test('the server becomes unready before it stops, and responses on open connections have Connection: close', async () => {
  await using database = sqliteFile()
  await using pergola = await startServer(database.url)
  const url = await pergola.url()
  const upload = uploadSlowly(url, 'holds-it-open')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect((await ask(url, '/readyz', agent)).statusCode).toBe(200)
  pergola.signal('SIGTERM')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503)
  expect((await ask(url, '/readyz', agent)).headers.connection).toBe('keep-alive')
  await expect.poll(() => fetch(`${url}/readyz`).catch(() => 'refused')).toBe('refused')
  const last = await ask(url, '/readyz', agent)
  expect(last.statusCode).toBe(503)
  expect(last.headers.connection).toBe('close')
  expect(await upload).toBe(201)
  expect(await pergola.exited).toBe(0)
})

test('a statement that hangs does not prevent the exit', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await using pergola = await startServer(database.url, { PERGOLA_SERVER_DRAIN_TIMEOUT: '1' })
  const url = await pergola.url()
  const blocker = new Client({ connectionString: database.url })
  await blocker.connect()
  await blocker.query('BEGIN; LOCK TABLE m_1')
  const stuck = fetch(`${url}/api/v1alpha1/roles`, { headers }).catch(() => 'cut')
  await sleep(200)
  pergola.signal('SIGTERM')
  expect(await pergola.exited).toBe(0)
  expect(await stuck).toBe('cut')
  expect(pergola.stderr()).toMatch(/"cut":1.*were aborted/)
  await blocker.end()
})

test('requests that exceed the drain timeout are cut, counted and logged; a second signal exits at once', async () => {
  await using database = sqliteFile()
  await using pergola = await startServer(database.url, { PERGOLA_SERVER_DRAIN_TIMEOUT: '1' })
  const never = request(`${await pergola.url()}/api/v1alpha1/roles`, { method: 'POST', headers })
  never.on('error', () => {})
  never.write('{')
  await sleep(200)
  pergola.signal('SIGTERM')
  expect(await pergola.exited).toBe(0)
  expect(pergola.stderr()).toMatch(/"cut":1,"seconds":1,.*were aborted/)

  await using another = sqliteFile()
  await using hurried = await startServer(another.url)
  const hanging = request(`${await hurried.url()}/api/v1alpha1/roles`, { method: 'POST', headers })
  hanging.on('error', () => {})
  hanging.write('{')
  await sleep(200)
  hurried.signal('SIGINT')
  await expect.poll(hurried.stderr).toContain('stopping')
  await sleep(700)
  hurried.signal('SIGINT')
  expect(await hurried.exited).toBe(1)
})

/** Starts a server with an administrator whose token the tests know. */
async function startServer(database: string, env: Record<string, string> = {}): Promise<PergolaProcess> {
  await seedAdministrator(database, token)
  return startPergola({ env: { PERGOLA_DATABASE_URL: database, ...env } })
}

function sqliteFile() {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-stop-'))
  return {
    url: `sqlite:${join(directory, 'test.db')}`,
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true }),
  }
}

/** Creates objects until a list exceeds the socket buffers, so that a slow reader keeps the request open. */
async function fillWithRoles(url: string, count: number): Promise<void> {
  const annotations = { 'example.com/filling': 'x'.repeat(20_000) }
  for (let at = 0; at < count; at++) {
    const body = JSON.stringify({ metadata: { name: `role-${at}`, annotations }, rules: [] })
    const { status } = await fetch(`${url}/api/v1alpha1/roles`, { method: 'POST', headers, body })
    expect(status).toBe(201)
  }
}

/** Sends requests on keep-alive connections until the server no longer listens. */
async function keepAsking(url: string, agent: Agent, outcome: Outcome): Promise<void> {
  for (;;) {
    try {
      const response = await ask(url, '/api/v1alpha1/roles/author', agent)
      expect(response.statusCode).toBe(200)
      outcome.answered++
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error)
      if (code !== 'ECONNREFUSED') outcome.cut.push(code)
      else return
    }
  }
}

/** As a load balancer: one connection per request, and none once the server is unready. */
async function watchfulClients(url: string, outcome: Outcome): Promise<void> {
  const server = { ready: true }
  const probe = async () => {
    while (server.ready) {
      server.ready = await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
        ({ ok }) => ok,
        () => false,
      )
      await sleep(50)
    }
  }
  const client = async () => {
    while (server.ready) {
      try {
        await ask(url, '/api/v1alpha1/roles/author', new Agent({ keepAlive: false }))
        outcome.answered++
      } catch (error) {
        outcome.cut.push(`new connection: ${String(error)}`)
      }
    }
  }
  await Promise.all([probe(), ...Array.from({ length: 16 }, client)])
}

/** Pipelines two requests and reads the second response late; returns the number of responses. */
async function pipelineTwo(url: string): Promise<number> {
  const socket = connectTo(url)
  const line = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\n\r\n`
  socket.write(line('/api/v1alpha1/roles/author') + line('/api/v1alpha1/roles'))
  // Starts to read after the server has closed idle connections; most of the response is not sent yet.
  await sleep(2_500)
  const received = await text(socket)
  return received.endsWith('\r\n0\r\n\r\n') ? received.split('HTTP/1.1 200 OK').length - 1 : 0
}

/** A request whose request line takes two seconds to arrive. */
async function sendHeadSlowly(url: string): Promise<string> {
  const socket = connectTo(url)
  const head = 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'
  for (const character of head) {
    socket.write(character)
    await sleep(2_000 / head.length)
  }
  return text(socket)
}

/** Connects, sends nothing, and does not close when the server does. */
async function silentPeer(url: string): Promise<AsyncDisposable> {
  const socket = connectTo(url)
  await once(socket, 'connect')
  return { [Symbol.asyncDispose]: async () => void socket.destroy() }
}

function connectTo(url: string): Socket {
  return connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
}

async function ask(url: string, path: string, agent: Agent): Promise<IncomingMessage> {
  const sent = request(`${url}${path}`, { agent, headers })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response
}

async function readSlowly(url: string): Promise<{ total: number; items: unknown[] }> {
  const sent = request(`${url}/api/v1alpha1/roles`, { headers, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const started = performance.now()
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    // Some 12 MB in pieces of 64 KB: about two seconds in all.
    if (performance.now() - started < 2_500) await sleep(10)
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as { total: number; items: unknown[] }
}

async function uploadSlowly(url: string, name: string): Promise<number | undefined> {
  const sent = request(`${url}/api/v1alpha1/roles`, { method: 'POST', headers, agent: false })
  const body = JSON.stringify({ metadata: { name }, rules: [] })
  for (const character of body) {
    sent.write(character)
    await sleep(2_000 / body.length)
  }
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}
