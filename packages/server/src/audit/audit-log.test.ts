import { execFileSync } from 'node:child_process'
import {
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { createAuditLog, type AuditLog } from './audit-log.ts'
import type { AuditEntry } from './audit-entry.ts'
import { recordCommand } from './record-command.ts'

interface Line {
  readonly event?: string
  readonly name?: string
  readonly count?: number
}

let directory: string
let file: string
let logged: { readonly level: string; readonly msg: string; readonly lost?: number; readonly why?: string }[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pergola-audit-'))
  file = join(directory, 'audit.log')
  logged = []
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(directory, { recursive: true })
})

const log = createLog({ level: 'info', pretty: false, write: (line) => logged.push(JSON.parse(line)) })
const openLog = (limits?: { lines: number; bytes: number }): AuditLog =>
  createAuditLog({ file, clock: systemClock, log, ...(limits && { limits }) })
const entry = (name: string | number): AuditEntry => ({ how: 'anonymous', name: String(name), decision: 'allowed' })
const lines = (of = file) =>
  readFileSync(of, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)
const names = (of = file) => lines(of).map(({ name }) => name)
const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at))
const warnings = () => logged.filter(({ level }) => level === 'warn' || level === 'error')

/** With a fake clock: closing takes two seconds, no less and no more. */
async function closedAfterTwoSeconds(audit: AuditLog): Promise<void> {
  vi.useFakeTimers({ toFake: ['performance'] })
  let isClosed = false
  const closing = audit[Symbol.asyncDispose]().then(() => (isClosed = true))
  vi.advanceTimersByTime(1_999)
  await sleep(200)
  expect(isClosed).toBe(false)
  vi.advanceTimersByTime(1)
  await closing
}

test('every line is written in order, to a file of mode 600', async () => {
  {
    await using audit = openLog()
    for (const at of numbers(5_000)) audit.record(entry(at))
  }
  expect(names()).toEqual(numbers(5_000))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(logged).toMatchObject([{ level: 'info', msg: 'the audit log is closed', written: 5_000, lost: 0 }])
})

test('closing writes the lines that are still queued', async () => {
  {
    await using audit = openLog()
    await expect.poll(() => statSync(file, { throwIfNoEntry: false })?.size).toBe(0)
    await sleep(50)
    for (const at of numbers(300)) audit.record(entry(at))
  }
  expect(names()).toEqual(numbers(300))
})

test('existing lines are kept, and an incomplete last line is terminated first', async () => {
  writeFileSync(file, '{"audit":1,"name":"before"}\n{"audit":1,"na')
  {
    await using audit = openLog()
    audit.record(entry('after'))
  }
  const [first, torn, last, ...more] = readFileSync(file, 'utf8').split('\n')
  expect([first, torn, more]).toEqual(['{"audit":1,"name":"before"}', '{"audit":1,"na', ['']])
  expect(JSON.parse(last ?? '')).toMatchObject({ name: 'after' })
})

test('after a rotation lines go to the new file, with and without reopen', async () => {
  await using audit = openLog()
  audit.record(entry('one'))
  await expect.poll(() => audit.counts().written).toBe(1)
  renameSync(file, `${file}.1`)
  audit.reopen()
  audit.record(entry('two'))
  await expect.poll(() => audit.counts().written).toBe(2)
  expect([names(`${file}.1`), names()]).toEqual([['one'], ['two']])
  rmSync(file)
  await expect
    .poll(
      () => {
        audit.record(entry('three'))
        return statSync(file, { throwIfNoEntry: false }) !== undefined
      },
      { interval: 100 },
    )
    .toBe(true)
})

test('after copytruncate lines are written from the beginning of the file', async () => {
  await using audit = openLog()
  audit.record(entry('one'))
  await expect.poll(() => audit.counts().written).toBe(1)
  truncateSync(file)
  audit.record(entry('two'))
  await expect.poll(() => audit.counts().written).toBe(2)
  expect(names()).toEqual(['two'])
})

test('several logs and a command append to the same file', async () => {
  const told: string[] = []
  {
    await using first = openLog()
    await using second = openLog()
    for (const at of numbers(2_000)) [first, second][Number(at) % 2]?.record(entry(at))
    await recordCommand(
      { event: 'password-set', user: 'root', account: 'ann' },
      { file, stderr: (text) => told.push(text) },
    )
  }
  expect(lines()).toHaveLength(2_001)
  expect(new Set(names()).size).toBe(2_001)
  expect(lines().find(({ event }) => event === 'password-set')).toMatchObject({
    audit: 1,
    user: 'root',
    how: 'command',
    account: 'ann',
  })
  expect(told).toEqual([])
})

test('a command prints its entry if there is no audit file or it cannot be written', async () => {
  const told: string[] = []
  const stderr = (text: string) => told.push(text)
  await recordCommand({ event: 'token-create', user: 'root', name: 'a' }, { file: undefined, stderr })
  await recordCommand({ event: 'token-create', user: 'root', name: 'b' }, { file: join(directory, 'no/such'), stderr })
  expect(JSON.parse(told[0] ?? '')).toMatchObject({ audit: 1, event: 'token-create', name: 'a' })
  expect(told[1]).toMatch(/^The audit log .*no\/such cannot be written \(ENOENT.*\n\{"audit":1,.*"name":"b"/)
})

test('lines are queued while the directory is missing, and written once it exists', async () => {
  file = join(directory, 'later', 'audit.log')
  await using audit = openLog({ lines: 3, bytes: 100_000 })
  await expect.poll(warnings).toMatchObject([{ why: expect.stringContaining('ENOENT') as string }])
  for (const at of numbers(10)) audit.record(entry(at))
  expect(audit.counts()).toEqual({ written: 0, dropped: 7, waiting: 3 })
  execFileSync('mkdir', [join(directory, 'later')])
  await expect.poll(() => audit.counts().waiting).toBe(0)
  audit.record(entry('after'))
  await expect.poll(() => audit.counts().waiting).toBe(0)
  expect(lines()).toMatchObject([
    { name: '0' },
    { name: '1' },
    { name: '2' },
    { event: 'dropped', count: 7 },
    { name: 'after' },
  ])
  expect(warnings()).toHaveLength(1)
  expect(logged.at(-1)).toMatchObject({ msg: 'the audit log is writable again', dropped: 7 })
})

test('a full disk is logged once, lost lines are counted, and closing still finishes', async () => {
  file = '/dev/full'
  const audit = openLog({ lines: 100, bytes: 100_000 })
  for (const at of numbers(1_000)) audit.record(entry(at))
  await expect.poll(warnings).toHaveLength(1)
  expect(audit.counts()).toEqual({ written: 0, dropped: 900, waiting: 100 })
  await closedAfterTwoSeconds(audit)
  expect(warnings()).toMatchObject([
    { why: expect.stringMatching(/ENOSPC|too slow/) as string },
    { msg: 'the audit log is closed', lost: 1_000 },
  ])
})

describe('a pipe without a reader', () => {
  beforeEach(() => {
    file = join(directory, 'pipe')
    execFileSync('mkfifo', [file])
  })

  test('does not block, and a later reader gets the number of lost lines', async () => {
    // Opened, but not read from.
    const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const audit = openLog({ lines: 1_000, bytes: 1_000_000 })
    const count = 20_000
    for (const at of numbers(count)) {
      audit.record(entry(at))
      if (Number(at) % 1_000 === 0) await new Promise(setImmediate)
    }
    const { dropped } = audit.counts()
    expect(dropped).toBeGreaterThan(10_000)
    const read = readLines(reader)
    await expect.poll(() => audit.counts().waiting).toBe(0)
    audit.record(entry('last'))
    await expect.poll(() => read.at(-1)?.name).toBe('last')
    const told = read.filter(({ event }) => event === 'dropped')
    const missing = told.reduce((sum, line) => sum + (line.count ?? 0), 0)
    expect(missing).toBe(dropped)
    const kept = read.filter(({ name }) => name !== undefined && name !== 'last')
    expect(kept.length + missing).toBe(count)
    expect(kept.map(({ name }) => Number(name))).toEqual(kept.map(({ name }) => Number(name)).toSorted((a, b) => a - b))
    await audit[Symbol.asyncDispose]()
  })

  test('gets every line if it is read while the log closes', async () => {
    const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const audit = openLog()
    for (const at of numbers(5_000)) audit.record(entry(at))
    vi.useFakeTimers({ toFake: ['performance'] })
    const closing = audit[Symbol.asyncDispose]()
    const read = readLines(reader)
    await closing
    await expect.poll(() => read.map(({ name }) => name)).toEqual(numbers(5_000))
    expect(logged.at(-1)).toMatchObject({ msg: 'the audit log is closed', written: 5_000, lost: 0 })
  })

  test('that is not open is retried, without delaying the exit', async () => {
    const audit = openLog({ lines: 10, bytes: 100_000 })
    for (const at of numbers(25)) audit.record(entry(at))
    await expect.poll(warnings).toHaveLength(1)
    expect(audit.counts()).toEqual({ written: 0, dropped: 15, waiting: 10 })
    await closedAfterTwoSeconds(audit)
    expect(warnings().at(-1)).toMatchObject({ msg: 'the audit log is closed', lost: 25 })
  })
})

/** Lines in the order they arrive. */
function readLines(fd: number): Line[] {
  const read: Line[] = []
  createInterface({ input: new Socket({ fd, readable: true, writable: false }) }).on('line', (line) =>
    read.push(JSON.parse(line)),
  )
  return read
}

test('the queue is limited in bytes as well', async () => {
  file = join(directory, 'no/such')
  await using audit = openLog({ lines: 1_000_000, bytes: 10_000 })
  for (const at of numbers(1_000)) audit.record(entry(at))
  const { waiting, dropped } = audit.counts()
  expect(waiting + dropped).toBe(1_000)
  expect(waiting).toBeLessThan(10_000 / 80)
})
