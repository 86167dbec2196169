import type { EventEmitter } from 'node:events'
import { createDatabase } from '@pergola/test-servers'
import { Client, DatabaseError } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { binaryRows, NamedClient } from './named-client.ts'
import { UnnamedClient } from './unnamed-client.ts'

const resources = new AsyncDisposableStack()
let client: NamedClient
let unnamed: NamedClient
let driver: Client
let databaseUrl: string
let descriptions = 0

beforeAll(async () => {
  const database = resources.use(await createDatabase(inject('postgres')['18']))
  databaseUrl = database.url
  const options = { connectionString: databaseUrl }
  client = new NamedClient(options)
  unnamed = new UnnamedClient(options)
  driver = new Client(options)
  for (const one of [client, unnamed, driver]) {
    await one.connect()
    resources.defer(() => one.end())
  }
  await client.query('CREATE TABLE kept (name text PRIMARY KEY)')
  const { connection } = client as unknown as { readonly connection: EventEmitter }
  connection.on('rowDescription', () => descriptions++)
})
afterAll(() => resources.disposeAsync())

const types = `SELECT $1::text AS text, $2::int AS int, $3::bigint AS big, $4::boolean AS yes, $5::bytea AS bytes,
  $6::text[] AS texts, $7::jsonb AS json, $8::bytea[] AS many, $9::float8 AS number`

test.each([
  [
    'values',
    ['Zoë', 1, '9007199254740993', true, Buffer.from([0, 255]), ['a', 'b,"c'], { a: [1] }, [Buffer.from('x')], 0.5],
  ],
  ['nulls', [null, null, null, null, null, null, null, null, null]],
  ['empty values', ['', 0, 0, false, Buffer.alloc(0), [], {}, [], 0]],
])('reads and sends %s as the driver does', async (_, values) => {
  const statement = { name: 'types', text: types, values }
  const expected = (await driver.query(statement)).rows
  for (const one of [client, client, unnamed, unnamed]) expect((await one.query(statement)).rows).toEqual(expected)
})

const sized = `SELECT n::text AS number, decode(repeat('ff', n), 'hex') AS bytes, null AS none
  FROM unnest($1::int[]) n`

describe.each(['client', 'unnamed'])('binary statements of the %s', (name) => {
  const binaryOf = () => (name === 'client' ? client : unnamed)

  test.each([
    ['that arrive together', [0, 1, 700]],
    ['larger than what arrives at once', [300_000, 3, 1_000_000, 0]],
  ])('return rows %s', async (_, sizes) => {
    const rows = sizes.map((size) => ({ number: String(size), bytes: 'ff'.repeat(size), none: null }))
    for (const more of [{}, {}, { lazy: true }, { name: 'sized' }, { name: 'sized' }, { name: 'sized', lazy: true }]) {
      const result = await binaryOf().query<object>({ text: sized, values: [sizes], ...binaryRows, ...more })
      const read = result.rows.map((row) => {
        const { number, bytes, none } = row as { number: string; bytes: Buffer; none: null }
        return { number, bytes: bytes.toString('hex'), none }
      })
      expect(read).toEqual(rows)
      expect(result.rowCount).toBe(rows.length)
    }
  })

  test('are refused if a column is neither text nor bytea', async () => {
    const numbers = { text: 'SELECT 1 AS number', values: [], ...binaryRows }
    await expect(binaryOf().query(numbers)).rejects.toThrow('"number", a column of a binary statement')
    expect((await binaryOf().query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })
})

test('behind a pooler, nothing keeps its name', async () => {
  await unnamed.query({ name: 'kept', text: 'SELECT 1' })
  await unnamed.query({ name: 'kept too', text: 'SELECT 1', rowMode: 'array' })
  expect((await unnamed.query('SELECT name FROM pg_prepared_statements')).rows).toEqual([])
})

test('the rows of a statement are described once', async () => {
  const before = descriptions
  const run = (from: number) =>
    client.query({
      name: 'numbers',
      text: 'SELECT n, n * 2 AS twice FROM generate_series($1::int, 3) n',
      values: [from],
    })
  expect(await run(2)).toMatchObject({
    rowCount: 2,
    rows: [
      { n: 2, twice: 4 },
      { n: 3, twice: 6 },
    ],
  })
  expect(await run(4)).toMatchObject({ rowCount: 0, rows: [] })
  expect(await run(3)).toMatchObject({ rowCount: 1, rows: [{ n: 3, twice: 6 }] })
  expect(descriptions - before).toBe(1)
})

test('a statement without rows tells how many it changed', async () => {
  const insert = (name: string) =>
    client.query({ name: 'insert', text: 'INSERT INTO kept VALUES ($1)', values: [name] })
  expect(await insert('a')).toMatchObject({ rowCount: 1, rows: [] })
  expect(await insert('b')).toMatchObject({ rowCount: 1, rows: [] })
})

test('a refused execution leaves the connection usable, and its stack leads to the caller', async () => {
  const divide = (by: number) => client.query({ name: 'divide', text: 'SELECT 6 / $1::int AS part', values: [by] })
  const refused = await divide(0).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(DatabaseError)
  expect(refused).toMatchObject({ code: '22012' })
  expect((await divide(2)).rows).toEqual([{ part: 3 }])
  await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
  expect((await divide(3)).rows).toEqual([{ part: 2 }])
})

test('other options are left to the driver', async () => {
  const listed = { name: 'listed', text: 'SELECT 1 AS one', rowMode: 'array' as const }
  expect((await client.query(listed)).rows).toEqual([[1]])
})

test('what cannot be sent is refused before anything is sent', async () => {
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const send = (value: unknown) => client.query({ name: 'send', text: 'SELECT $1::jsonb AS sent', values: [value] })
  await expect(send(cyclic)).rejects.toThrow(/circular/)
  expect((await send({ a: 1 })).rows).toEqual([{ sent: { a: 1 } }])
  await expect(client.query({ name: 'send', text: 'SELECT 1' })).rejects.toThrow(
    '"send" is the name of another statement',
  )
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

test('an execution that takes too long fails', async () => {
  const hasty = new NamedClient({ connectionString: databaseUrl, query_timeout: 50 })
  hasty.on('error', () => {})
  await hasty.connect()
  // The timer of the first one runs out during the second.
  await hasty.query({ name: 'quick', text: 'SELECT 1' })
  await expect(hasty.query({ name: 'slow', text: 'SELECT pg_sleep(600)' })).rejects.toThrow('Query read timeout')
  const other = new NamedClient({ connectionString: databaseUrl, query_timeout: 50 })
  other.on('error', () => {})
  await other.connect()
  await expect(other.query('SELECT pg_sleep(600)')).rejects.toThrow('Query read timeout')
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ $1 AND pid <> pg_backend_pid()',
    ['pg_sleep'],
  )
})
