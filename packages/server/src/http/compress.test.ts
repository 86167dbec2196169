import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Answer } from '../call/call.ts'
import { acceptsGzip, compressed } from './compress.ts'

const answer = (body: Answer['body'], more: Partial<Answer> = {}): Answer => ({
  status: 200,
  contentType: 'application/json',
  body,
  ...more,
})
const long = Buffer.from('{"items":[]}'.repeat(1_000))

async function bytesOf(body: Answer['body']): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : buffer(body)
}

async function* parts(failAt = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  for (let part = 0; part < 20; part++) {
    if (part === failAt) throw new Error('the database has gone')
    yield Buffer.from(`${part}-`.repeat(10_000))
  }
}

test.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['br, deflate', false],
  ['gzip', true],
  ['br;q=1.0, GZIP;q=0.8', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['*', true],
  ['*, gzip;q=0', false],
  ['*;q=0', false],
])('a client that sends Accept-Encoding: %s accepts gzip: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected)
})

test.each([
  ['a body', long],
  ['a large body', Buffer.from('x1'.repeat(100_000))],
])('%s is sent as gzip, with a weak tag', async (_, body) => {
  const made = await compressed(answer(body, { headers: { etag: '"a"', 'x-other': 'b' } }), 'gzip')
  expect(made.headers).toEqual({ etag: 'W/"a"', 'x-other': 'b', 'content-encoding': 'gzip' })
  expect(gunzipSync(await bytesOf(made.body)).equals(body)).toBe(true)
})

test('a body in parts is sent as gzip', async () => {
  const made = await compressed(answer(parts()), 'gzip')
  expect(gunzipSync(await bytesOf(made.body)).equals(await bytesOf(parts()))).toBe(true)
})

test('a failure among the parts fails the body, and a reader who leaves ends them', async () => {
  const failing = await compressed(answer(parts(7)), 'gzip')
  await expect(bytesOf(failing.body)).rejects.toThrow('the database has gone')
  let isReleased = false
  const endless = async function* () {
    try {
      for (;;) yield Buffer.from(crypto.randomUUID().repeat(1_000))
    } finally {
      isReleased = true
    }
  }
  const left = await compressed(answer(endless()), 'gzip')
  for await (const _ of left.body as AsyncIterable<Buffer>) break
  await expect.poll(() => isReleased).toBe(true)
})

test.each([
  ['a small body', answer(Buffer.from('{}')), 'gzip'],
  ['an answer that is no success', answer(long, { status: 304 }), 'gzip'],
  ['a client that does not accept it', answer(long), 'br'],
])('%s is sent as it is', async (_, given, header) => {
  expect(await compressed(given, header)).toBe(given)
})
