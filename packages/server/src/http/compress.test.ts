import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Answer } from '../call/call.ts'
import { negotiated, prefersGzip } from './compress.ts'

const answer = (body: Answer['body'], more: Partial<Answer> = {}): Answer => ({
  status: 200,
  contentType: 'application/json',
  body,
  ...more,
})
const asking = (accepted: string, method = 'GET') => ({ method, headers: { 'accept-encoding': accepted } })
const gzip = asking('gzip')
const long = Buffer.from('{"items":[]}'.repeat(1_000))
const unchanged = { vary: 'Accept-Encoding' }

async function bytesOf(body: Answer['body']): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : buffer(body)
}

async function* parts(failAt = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  for (let part = 0; part < 20; part++) {
    if (part === failAt) throw new Error('the database has gone')
    yield Buffer.from(`${part}-`.repeat(10_000))
  }
}

async function* split(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}

test.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['br, deflate', false],
  ['gzip', true],
  ['br;q=1.0, GZIP;q=0.8', true],
  ['gzip ; Q=0.001', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['gzip;q=0, gzip', false],
  ['*', true],
  ['*, gzip;q=0', false],
  ['*;q=0', false],
  ['*;q=0, gzip;q=0.1', true],
  ['identity, gzip;q=0.5', false],
  ['identity;q=0.5, gzip;q=0.5', true],
  ['identity;q=0, gzip', true],
  ['gzip;q=', false],
  ['gzip;q=-1', false],
  ['gzip;q=1.5', false],
  ['gzip;q=0.0001', false],
  ['gzip;level=9', false],
  ['gzip;q=1;q=0', false],
  ['*, gzip;q=x', false],
  ['gzip deflate', false],
  [',,;;q=1,', false],
])('a client that sends Accept-Encoding: %s gets gzip: %s', (header, expected) => {
  expect(prefersGzip(header)).toBe(expected)
})

test.each([
  ['a body of 1 KiB', Buffer.from('x'.repeat(1_024))],
  ['a body', long],
  ['a large body', Buffer.from('x1'.repeat(100_000))],
])('%s is sent as gzip', async (_, body) => {
  const made = await negotiated(answer(body, { headers: { 'x-other': 'b' } }), gzip)
  expect(made.headers).toEqual({ 'x-other': 'b', vary: 'Accept-Encoding', 'content-encoding': 'gzip' })
  expect(gunzipSync(await bytesOf(made.body)).equals(body)).toBe(true)
})

test.each([
  ['as gzip', 200, 'gzip'],
  ['as it is', 200, 'br'],
  ['not at all, because it is known', 304, 'gzip'],
])('the tag is weak, and Vary extended, when the body is sent %s', async (_, status, accepted) => {
  const given = answer(long, { status, headers: { etag: '"a"', vary: 'Origin' } })
  const { headers } = await negotiated(given, asking(accepted))
  expect(headers).toMatchObject({ etag: 'W/"a"', vary: 'Origin, Accept-Encoding' })
})

test('a weak tag stays as it is', async () => {
  expect((await negotiated(answer(long, { headers: { etag: 'W/"a"' } }), gzip)).headers?.['etag']).toBe('W/"a"')
})

test('a body in parts is sent as gzip', async () => {
  const made = await negotiated(answer(parts()), gzip)
  expect(gunzipSync(await bytesOf(made.body)).equals(await bytesOf(parts()))).toBe(true)
})

test('a body in parts that ends before 1 KiB is sent whole, as it is', async () => {
  const made = await negotiated(answer(split('[', '1', ']')), gzip)
  expect(made).toMatchObject({ headers: unchanged, body: Buffer.from('[1]') })
})

test('HEAD gets the headers of GET, and nothing is compressed', async () => {
  for (const body of [long, parts()]) {
    const made = await negotiated(answer(body), asking('gzip', 'HEAD'))
    expect(made.headers?.['content-encoding']).toBe('gzip')
    expect(Buffer.isBuffer(made.body)).toBe(false)
    const [first] = await bytesOf(made.body)
    expect([0x7b, 0x30]).toContain(first)
  }
})

test('a failure among the parts fails the body, and a reader who leaves ends them', async () => {
  await expect(negotiated(answer(parts(0)), gzip)).rejects.toThrow('the database has gone')
  const failing = await negotiated(answer(parts(7)), gzip)
  await expect(bytesOf(failing.body)).rejects.toThrow('the database has gone')
  for (const method of ['GET', 'HEAD']) {
    let isReleased = false
    const endless = async function* () {
      try {
        for (;;) yield Buffer.from(crypto.randomUUID().repeat(1_000))
      } finally {
        isReleased = true
      }
    }
    const left = await negotiated(answer(endless()), asking('gzip', method))
    for await (const _ of left.body as AsyncIterable<Buffer>) break
    await expect.poll(() => isReleased).toBe(true)
  }
})

test.each([
  ['a body below 1 KiB', answer(Buffer.from('x'.repeat(1_023))), 'gzip'],
  ['an answer that is no success', answer(long, { status: 304 }), 'gzip'],
  ['a body for a client that does not accept gzip', answer(long), 'br'],
])('%s is sent as it is, with Vary', async (_, given, accepted) => {
  expect(await negotiated(given, asking(accepted))).toEqual({ ...given, headers: unchanged })
})

test('a body that has an encoding is left alone', async () => {
  const given = answer(long, { headers: { 'content-encoding': 'br' } })
  expect(await negotiated(given, gzip)).toBe(given)
})
