import { ApiError } from '@pergola/api'
import { createClient } from '@pergola/client'
import { expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../controllers/contract/manual-clock.ts'
import { leadAlways, type HoldSource } from '../controllers/hold.ts'
import { schedule, type Timing } from '../schedule.ts'
import { createLeases } from '../run/leases.ts'
import { runSchedule } from './run-schedule.ts'
import { ownMemory, type ScheduleMemory } from './schedule-memory.ts'

interface Started extends AsyncDisposable {
  readonly clock: ManualClock
  readonly runs: string[]
  readonly log: string[]
}

interface StartOptions {
  readonly memory?: ScheduleMemory
  readonly now?: string
  readonly hold?: HoldSource
  readonly run?: (at: string, signal: AbortSignal) => Promise<void>
}

function start(timing: Timing, { memory = ownMemory(), now, hold = leadAlways, run }: StartOptions = {}): Started {
  const clock = createManualClock(Date.parse(now ?? '2030-03-01T09:00:00Z'))
  const [runs, log]: [string[], string[]] = [[], []]
  const stopping = new AbortController()
  const work = schedule(timing, async ({ clock: shown, signal }) => {
    runs.push(shown.iso())
    await run?.(shown.iso(), signal)
  })
  const ended = runSchedule('tick', work, {
    clock,
    memory,
    hold,
    runLeased: createLeases(hold, []),
    settings: () => ({}) as never,
    clientBy: () => createClient({ url: 'http://nowhere' }),
    log: (line) => log.push(line),
    signal: stopping.signal,
  })
  return {
    clock,
    runs,
    log,
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await ended
    },
  }
}

/** Waits until the schedule sleeps until its next run. */
const untilWaiting = async ({ clock }: Started) => {
  await expect.poll(() => clock.waiting).toBe(1)
}
const pass = async (started: Started, ms: number) => {
  await untilWaiting(started)
  started.clock.advance(ms)
  await new Promise((resolve) => setImmediate(resolve))
}
const hour = 3_600_000

test('runs one interval after the last run, and records the last and the next run', async () => {
  const memory = ownMemory()
  await using started = start({ every: '1h' }, { memory })
  await pass(started, hour - 1)
  expect(started.runs).toEqual([])
  await pass(started, 1)
  await pass(started, hour)
  await untilWaiting(started)
  expect(started.runs).toEqual(['2030-03-01T10:00:00.000Z', '2030-03-01T11:00:00.000Z'])
  expect(await memory.read('tick')).toEqual({
    lastRun: '2030-03-01T11:00:00.000Z',
    nextRun: '2030-03-01T12:00:00.000Z',
  })
})

test('continues after a restart from the recorded state, and runs once for all missed times', async () => {
  const memory = ownMemory()
  for (const now of ['2030-03-01T09:00:00Z', '2030-03-01T20:00:00Z']) {
    // Ends before the first run.
    await using started = start({ cron: '0 3 * * *' }, { memory, now })
    await untilWaiting(started)
  }
  await using late = start({ cron: '0 3 * * *' }, { memory, now: '2030-03-05T09:00:00Z' })
  await expect.poll(() => late.runs).toEqual([])
  await pass(late, 0)
  await untilWaiting(late)
  expect(late.runs).toEqual(['2030-03-05T09:00:00.000Z'])
  await pass(late, 18 * hour)
  await untilWaiting(late)
  expect(late.runs.slice(1)).toEqual(['2030-03-06T03:00:00.000Z'])
})

test('a failed run is recorded and logged, and not retried before the next time', async () => {
  const memory = ownMemory()
  const run = async (at: string) => {
    if (at.includes('T10')) throw new Error('not today', { cause: new Error('a holiday') })
  }
  await using started = start({ every: '1h' }, { memory, run })
  await pass(started, hour)
  await untilWaiting(started)
  expect(await memory.read('tick')).toMatchObject({
    lastRun: '2030-03-01T10:00:00.000Z',
    lastError: 'Error: not today; caused by: Error: a holiday',
  })
  expect(started.log).toEqual([
    expect.stringMatching(/^schedule tick failed: Error: not today[^]*caused by: Error: a holiday$/),
  ])
  await pass(started, hour)
  await untilWaiting(started)
  expect(await memory.read('tick')).not.toHaveProperty('lastError')
})

test('an aborted run is not recorded and runs again', async () => {
  const memory = ownMemory()
  const until = (_: string, signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))))
  {
    await using started = start({ every: '1h' }, { memory, run: until })
    await pass(started, hour)
    expect(started.runs).toHaveLength(1)
  }
  expect(await memory.read('tick')).not.toHaveProperty('lastRun')
  await using again = start({ every: '1h' }, { memory, now: '2030-03-01T10:00:30Z' })
  await pass(again, 0)
  await untilWaiting(again)
  expect(again.runs).toEqual(['2030-03-01T10:00:30.000Z'])
})

test('a schedule that gets FenceLost gives up its lease and stops', async () => {
  const memory = ownMemory()
  let leads = 0
  const lost = new AbortController()
  const hold: HoldSource = async function* () {
    leads++
    yield { signal: lost.signal, fence: 'tick/1', lost: () => lost.abort() }
  }
  const refusing: ScheduleMemory = {
    read: (name) => memory.read(name),
    write: async (name, state, fence) => {
      expect(fence).toBe('tick/1')
      if (state.lastRun !== undefined) throw new ApiError('FenceLost', 'gone')
      await memory.write(name, state, fence)
    },
  }
  await using started = start({ every: '1h' }, { memory: refusing, hold })
  await pass(started, hour)
  await expect.poll(() => lost.signal.aborted).toBe(true)
  await expect.poll(() => started.clock.waiting).toBe(0)
  expect([started.runs.length, leads]).toEqual([1, 1])
})
