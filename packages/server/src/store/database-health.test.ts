import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { watchHealth, type DatabaseHealth, type HealthOptions } from './database-health.ts'

const limitMs = 60_000
const resources = new DisposableStack()
const lines: string[] = []
afterEach(() => void lines.splice(0))
afterAll(() => resources.dispose())

function watched(probe?: HealthOptions['probe']): DatabaseHealth {
  const record = (_facts: object, message: string) => void lines.push(message)
  const log = { info: record, error: record } as unknown as HealthOptions['log']
  return resources.use(watchHealth({ log, description: 'test', ...(probe && { probe }) }))
}

const fault = (code: string) => Object.assign(new Error('the database failed'), { code })
const fails = (health: DatabaseHealth, code: string) =>
  expect(health.run(limitMs, () => Promise.reject(fault(code)))).rejects.toMatchObject({ reason: 'Unavailable' })
const reads = (health: DatabaseHealth) => health.run(limitMs, async () => 'read')
const writes = (health: DatabaseHealth) =>
  health.run(
    limitMs,
    async () => 'written',
    () => true,
  )

describe('only a write ends an outage of writes:', () => {
  test.each([
    ['SQLITE_FULL', 'the disk of the database is full'],
    ['53100', 'the disk of the database is full'],
    ['SQLITE_READONLY_DBMOVED', 'the database is read-only'],
    ['25006', 'the database is read-only'],
    ['SQLITE_IOERR_WRITE', 'the database cannot write to its disk'],
  ])('%s', async (code, why) => {
    const health = watched()
    await fails(health, code)
    await reads(health)
    expect(health.trouble()).toBe(why)
    expect(health.isReadable()).toBe(true)
    await writes(health)
    expect(health.trouble()).toBeUndefined()
    expect(lines).toEqual(['the database cannot write; writes get 503 until it can', 'the database writes again'])
  })
})

test('a read ends an outage of the connection', async () => {
  const health = watched()
  await fails(health, 'ECONNREFUSED')
  expect(health.isReadable()).toBe(false)
  await reads(health)
  expect(health.trouble()).toBeUndefined()
})

test('an outage of writes ends without requests, by a write of its own', async () => {
  let isFull = true
  const health = watched(async () => {
    if (isFull) throw fault('SQLITE_FULL')
  })
  await fails(health, 'SQLITE_FULL')
  isFull = false
  await expect.poll(() => health.trouble()).toBeUndefined()
})
