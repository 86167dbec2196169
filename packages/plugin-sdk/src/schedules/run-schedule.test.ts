import { ApiError } from '@pergola/api'
import { createClient } from '@pergola/client'
import { expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../controllers/contract/manual-clock.ts'
import { leadAlways, type HoldSource } from '../controllers/hold.ts'
import { schedule, type Timing } from '../schedule.ts'
import { createLeases } from '../run/leases.ts'
import { runSchedule } from './run-schedule.ts'
import { inMemorySchedules, type ScheduleMemory } from './schedule-memory.ts'
import { untraced } from '../run/trace-run.ts'

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

function start(
  timing: Timing,
  { memory = inMemorySchedules(), now, hold = leadAlways, run }: StartOptions = {},
): Started {
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
    traceRun: untraced,
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
  const memory = inMemorySchedules()
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
  const memory = inMemorySchedules()
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

test('a failed run is recorded, logged, and retried after growing delays, but no later than its next time', async () => {
  const memory = inMemorySchedules()
  const run = async (at: string) => {
    if (at < '2030-03-01T10:01:30') throw new Error('not today', { cause: new Error('a holiday') })
  }
  await using started = start({ every: '1h' }, { memory, run })
  await pass(started, hour)
  await untilWaiting(started)
  expect(await memory.read('tick')).toMatchObject({
    lastRun: '2030-03-01T10:00:00.000Z',
    lastError: 'Error: not today; caused by: Error: a holiday',
    failures: 1,
    nextRun: '2030-03-01T10:00:30.000Z',
  })
  expect(started.log).toEqual([
    expect.stringMatching(/^schedule tick failed: Error: not today[^]*caused by: Error: a holiday$/),
  ])
  await pass(started, 30_000)
  await untilWaiting(started)
  expect(await memory.read('tick')).toMatchObject({ failures: 2, nextRun: '2030-03-01T10:01:30.000Z' })
  await pass(started, 60_000)
  await untilWaiting(started)
  expect(await memory.read('tick')).toEqual({
    lastRun: '2030-03-01T10:01:30.000Z',
    nextRun: '2030-03-01T11:01:30.000Z',
  })
})

test('a retry never waits beyond the next regular run', async () => {
  const memory = inMemorySchedules()
  const failing = { lastRun: '2030-03-01T08:59:50.000Z', lastError: 'Error', failures: 9 }
  await memory.write('tick', { ...failing, nextRun: '2030-03-01T09:00:20.000Z' }, undefined)
  const run = () => Promise.reject(new Error('again'))
  await using started = start({ every: '1m' }, { memory, run })
  await pass(started, 20_000)
  await untilWaiting(started)
  expect(await memory.read('tick')).toMatchObject({ failures: 10, nextRun: '2030-03-01T09:01:20.000Z' })
})

test('a requested run happens before its time, and its end answers the request', async () => {
  const memory = inMemorySchedules()
  const requests = [Promise.resolve('now-1')]
  const written: unknown[] = []
  const asked: ScheduleMemory = {
    ...memory,
    requested: (name, signal) => requests.shift() ?? memory.requested(name, signal),
    write: async (name, state, fence) => {
      written.push(state.answers)
      await memory.write(name, state, fence)
    },
  }
  await using started = start({ cron: '0 3 * * *' }, { memory: asked })
  await expect.poll(() => started.runs).toEqual(['2030-03-01T09:00:00.000Z'])
  await untilWaiting(started)
  expect(written).toEqual([undefined, 'now-1'])
  expect(await memory.read('tick')).toMatchObject({ nextRun: '2030-03-02T03:00:00.000Z' })
})

test('an aborted run is not recorded and runs again', async () => {
  const memory = inMemorySchedules()
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
  const memory = inMemorySchedules()
  let leads = 0
  const lost = new AbortController()
  const hold: HoldSource = async function* () {
    leads++
    yield { signal: lost.signal, fence: 'tick/1', lost: () => lost.abort() }
  }
  const refusing: ScheduleMemory = {
    ...memory,
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
