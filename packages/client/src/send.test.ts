import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startSqliteServer } from '../../../tests/client/server.ts'
import { createClient, type Client, type ClientOptions } from './client.ts'
import { ConnectionError, isConnectionError } from './connection-error.ts'

/** A server that answers what the test says. */
interface Gateway extends AsyncDisposable {
  readonly url: string
  /** Method and path of each request. */
  readonly seen: readonly string[]
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** Gives the answers in turn and repeats the last one. */
async function startGateway(...answers: readonly Answer[]): Promise<Gateway> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    answers[Math.min(seen.length, answers.length) - 1]?.(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const busy =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end()
const fine: Answer = (response) => response.end('{"metadata":{"name":"a"},"spec":{"text":"x"},"items":[]}')
const cut: Answer = (response) => response.destroy()
const half: Answer = (response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"items":[')
  setTimeout(() => response.destroy(), 20)
}
const never: Answer = () => {}

function things(url: string, options: Partial<ClientOptions> = {}) {
  return createClient({ url, ...options }).resource({ group: 'g.example.com', version: 'v1', plural: 'things' })
}
const object = { metadata: { name: 'a' } } as never

const rows: readonly (readonly [string, Answer, (client: Client) => Promise<unknown>, number])[] = [
  ['GET is retried after 503', busy(503), (client) => of(client).get('a'), 2],
  ['GET is retried after 429', busy(429), (client) => of(client).list(), 2],
  ['GET is retried after a cut connection', cut, (client) => of(client).get('a'), 2],
  ['GET is retried after a truncated response', half, (client) => of(client).list(), 2],
  ['PUT is retried after 503', busy(503), (client) => of(client).update(object), 2],
  ['PUT is not retried after a cut connection', cut, (client) => of(client).update(object), 1],
  ['DELETE is retried after 429', busy(429), (client) => of(client).delete('a'), 2],
  ['DELETE is not retried after a cut connection', cut, (client) => of(client).delete('a'), 1],
  ['POST is not retried after 503', busy(503), (client) => of(client).create({}), 1],
  ['POST is not retried after 429', busy(429), (client) => of(client).create({}), 1],
  ['POST is not retried after a cut connection', cut, (client) => of(client).create({}), 1],
  ['a merge patch is retried after 503', busy(503), (client) => of(client).patch('a', {}), 2],
  ['a JSON patch is not retried', busy(503), (client) => of(client).patch('a', []), 1],
  ['a JSON patch with ifMatch is retried', busy(503), (client) => of(client).patch('a', [], { ifMatch: '"x.1"' }), 2],
  ['403 is not retried', busy(403), (client) => of(client).get('a'), 1],
  ['500 is not retried', busy(500), (client) => of(client).get('a'), 1],
  ['a long Retry-After is not waited for', busy(503, { 'retry-after': '60' }), (client) => of(client).get('a'), 1],
]
const of = (client: Client) => client.resource({ group: 'g.example.com', version: 'v1', plural: 'things' })

describe('retries', () => {
  test.each(rows)('%s', async (_, first, act, times) => {
    await using gateway = await startGateway(first, fine)
    const done = act(createClient({ url: gateway.url })).then(
      () => 'done',
      () => 'failed',
    )
    expect(await done).toBe(times === 2 ? 'done' : 'failed')
    expect(gateway.seen).toHaveLength(times)
  })

  test('at most four times with exponential backoff, and throws the last error', async () => {
    await using gateway = await startGateway(busy(503))
    const waits: number[] = []
    const client = things(gateway.url, { onRetry: (_, { waitMs }) => waits.push(waitMs) })
    await expect(client.get('a')).rejects.toMatchObject({ reason: 'Unavailable', status: 503 })
    expect(gateway.seen).toHaveLength(5)
    expect(waits.every((wait, at) => wait >= 100 * 2 ** at && wait <= 200 * 2 ** at)).toBe(true)
  })

  test('not before Retry-After', async () => {
    await using gateway = await startGateway(busy(429, { 'retry-after': '1' }), fine)
    const waits: number[] = []
    await things(gateway.url, { onRetry: (_, { waitMs }) => waits.push(waitMs) }).get('a')
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThanOrEqual(1_000)
  })

  test('POST is retried when the connection was refused', async () => {
    await using gateway = await startGateway(fine)
    const { url } = gateway
    await gateway[Symbol.asyncDispose]()
    const errors: unknown[] = []
    const creating = things(url, { onRetry: (error) => errors.push(error) }).create({})
    await expect(creating).rejects.toMatchObject({ name: 'ConnectionError', mayHaveArrived: false })
    expect(errors).toHaveLength(4)
  })
})

describe('a request ends', () => {
  test('when the timeout for all attempts together expires', async () => {
    await using gateway = await startGateway(never)
    const error = await things(gateway.url, { timeoutMs: 1_000 })
      .get('a')
      .catch((cause: unknown) => cause)
    expect(error).toMatchObject({ name: 'ConnectionError', timedOut: true, mayHaveArrived: true })
    expect(isConnectionError(error)).toBe(true)
    expect(gateway.seen).toHaveLength(1)
  })

  test('with the last error, when the timeout expires before the next attempt', async () => {
    await using gateway = await startGateway(busy(503, { 'retry-after': '3600' }))
    let error: unknown
    let tries = 0
    // On a busy machine, the first attempt may take longer than a short timeout.
    for (const timeoutMs of [250, 2_000, 16_000]) {
      tries += 1
      error = await things(gateway.url)
        .get('a', { timeoutMs })
        .catch((cause: unknown) => cause)
      if (!isConnectionError(error)) break
    }
    expect(error).toMatchObject({ status: 503 })
    expect(gateway.seen.length).toBeLessThanOrEqual(tries)
  })

  test('with the abort reason, before, during and between attempts', async () => {
    await using gateway = await startGateway(never)
    await using refusing = await startGateway(busy(503, { 'retry-after': '5' }))
    const reason = new Error('enough')
    await expect(things(gateway.url).get('a', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    for (const { url } of [gateway, refusing]) {
      const giving = new AbortController()
      const asked = things(url).get('a', { signal: giving.signal })
      await Promise.all([expect(asked).rejects.toBe(reason), sleep(100).then(() => giving.abort(reason))])
    }
  })

  test('with an error for responses that are not from Pergola, and for unknown reasons', async () => {
    await using page = await startGateway((response) => response.end('<html>'))
    await expect(things(page.url).create({})).rejects.toThrow(/200, but no JSON/)
    await using proxy = await startGateway((response) => response.writeHead(502).end('<html>'))
    await expect(things(proxy.url).get('a')).rejects.toMatchObject({ reason: 'Unavailable', status: 502 })
    await using newer = await startGateway((response) =>
      response.writeHead(409, { 'content-type': 'application/problem+json' }).end('{"reason":"New","detail":"as yet"}'),
    )
    const unknown = { reason: 'BadRequest', status: 409, message: 'as yet' }
    await expect(things(newer.url).get('a')).rejects.toMatchObject(unknown)
  })
})

test('requests carry the token and the headers, and use the given fetch', async () => {
  await using server = await startSqliteServer()
  const sent: [string, Headers][] = []
  const fetching: typeof fetch = (input, init) => {
    sent.push([input instanceof URL ? input.href : '', new Headers(init?.headers)])
    return fetch(input, init)
  }
  const client = server.client({ fetch: fetching, headers: { 'x-extra': 'yes' } })
  await client.call({ method: 'GET', path: '/apis' })
  const [[url, headers] = ['', new Headers()]] = sent
  expect(url).toBe(`${server.url}/apis`)
  expect(headers.get('authorization')).toMatch(/^Bearer /)
  expect(headers.get('x-extra')).toBe('yes')
})

test('the server URL may have a path', async () => {
  await using gateway = await startGateway(fine)
  await things(`${gateway.url}/below/`).get('a')
  expect(gateway.seen).toEqual(['GET /below/apis/g.example.com/v1/things/a'])
})

test('an error tells whether the request may have arrived', () => {
  const refused = Object.assign(new Error('refused'), { syscall: 'connect' })
  expect(new ConnectionError('x', { cause: new TypeError('failed', { cause: refused }) }).mayHaveArrived).toBe(false)
  const both = new AggregateError([refused, new Error('other')])
  expect(new ConnectionError('x', { cause: both }).mayHaveArrived).toBe(true)
  expect(new ConnectionError('x').mayHaveArrived).toBe(true)
})

test('a body of bytes is sent unchanged', async () => {
  const came: Buffer[] = []
  const keep: Answer = (response, request) => {
    request.on('data', (chunk: Buffer) => came.push(chunk))
    request.on('end', () => response.end(JSON.stringify({ type: request.headers['content-type'] })))
  }
  await using gateway = await startGateway(keep)
  const bytes = new Uint8Array([31, 139, 0, 255])
  const call = { method: 'POST', path: '/x', body: bytes, headers: { 'content-type': 'application/gzip' } }
  expect(await createClient({ url: gateway.url }).call(call)).toEqual({ type: 'application/gzip' })
  expect(Buffer.concat(came)).toEqual(Buffer.from(bytes))
})
