import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createManualClock } from './contract/manual-clock.ts'
import { backoffMs, WorkQueue, type Failure, type Outcome } from './work-queue.ts'

interface Run {
  readonly key: string
  /** Position in the sequence of all events. */
  readonly began: number
  readonly at: number
  end(outcome: Outcome): Promise<void>
}

/** A queue whose runs complete when the test says so. */
function harness(concurrency: number) {
  const clock = createManualClock()
  const runs: Run[] = []
  const open = new Map<string, Run>()
  const failures: Failure[] = []
  const broken: string[] = []
  let step = 0
  const queue = new WorkQueue({
    concurrency,
    clock,
    onFailure: (_, failure) => failures.push(failure),
    work: (key) => {
      if (open.has(key)) broken.push(`${key} runs twice at a time`)
      if (open.size >= concurrency) broken.push(`more than ${concurrency} run at a time`)
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      const run: Run = {
        key,
        began: ++step,
        at: clock.now(),
        end: async (outcome) => {
          open.delete(key)
          resolve(outcome)
          // Lets the queue process the outcome.
          for (let turn = 0; turn < 5; turn++) await Promise.resolve()
        },
      }
      runs.push(run)
      open.set(key, run)
      return promise
    },
  })
  return { clock, queue, runs, open, failures, broken, now: () => ++step }
}

const settled: Outcome = { kind: 'settled' }
const failed: Outcome = { kind: 'failed', error: new Error('no') }

describe('a key', () => {
  test('that changes while it is queued runs once; while it runs, once more', async () => {
    const { queue, runs } = harness(1)
    queue.add('a')
    for (const key of ['b', 'b', 'a', 'a', 'b']) queue.add(key)
    expect(runs.map(({ key }) => key)).toEqual(['a'])
    await runs[0]?.end(settled)
    await runs[1]?.end(settled)
    await runs[2]?.end(settled)
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b', 'a'])
  })

  test('that fails is retried with exponential backoff, up to 1000 s', async () => {
    const { queue, runs, clock, failures } = harness(1)
    queue.add('a')
    for (let at = 0; at < 22; at++) {
      await runs[at]?.end(failed)
      expect(runs).toHaveLength(at + 1)
      clock.advance(backoffMs(at + 1) - 1)
      expect(runs).toHaveLength(at + 1)
      clock.advance(1)
      expect(runs).toHaveLength(at + 2)
    }
    expect(failures.map(({ waitMs }) => waitMs).slice(0, 4)).toEqual([5, 10, 20, 40])
    expect(failures.at(-1)).toMatchObject({ failures: 22, waitMs: 1_000_000 })
  })

  test('that succeeds has its failure count reset', async () => {
    const { queue, runs, failures } = harness(1)
    queue.add('a')
    await runs[0]?.end(failed)
    queue.add('a')
    await runs[1]?.end(settled)
    queue.add('a')
    await runs[2]?.end(failed)
    expect(failures.map((failure) => failure.failures)).toEqual([1, 1])
  })

  test('that is requeued runs after its delay, or earlier on a change', async () => {
    const { queue, runs, clock } = harness(1)
    queue.add('a')
    await runs[0]?.end({ kind: 'again', afterMs: 100 })
    clock.advance(99)
    expect(runs).toHaveLength(1)
    clock.advance(1)
    await runs[1]?.end({ kind: 'again', afterMs: 100 })
    clock.advance(50)
    queue.add('a')
    await runs[2]?.end(settled)
    clock.advance(1000)
    expect([runs.length, clock.waiting]).toEqual([3, 0])
  })

  test('that is settled runs again only on a change', async () => {
    const { queue, runs, clock } = harness(1)
    queue.add('a')
    await runs[0]?.end(settled)
    clock.advance(1e9)
    expect(runs).toHaveLength(1)
    queue.add('a')
    expect(runs).toHaveLength(2)
  })

  test('that is forgotten does not run again, and later starts with a failure count of zero', async () => {
    const { queue, runs, clock, failures } = harness(1)
    queue.add('a')
    await runs[0]?.end(failed)
    queue.forget('a')
    clock.advance(1e9)
    expect(runs).toHaveLength(1)
    queue.add('a')
    queue.forget('a')
    await runs[1]?.end(failed)
    clock.advance(1e9)
    expect([runs.length, clock.waiting]).toEqual([2, 0])
    queue.add('a')
    queue.forget('a')
    queue.add('a')
    await runs[2]?.end(settled)
    await runs[3]?.end(failed)
    expect(failures.at(-1)).toMatchObject({ failures: 1 })
  })
})

test('keys of the initial list wait behind changes and get every eighth run', async () => {
  const { queue, runs } = harness(1)
  queue.add('first')
  for (const present of ['p1', 'p2', 'p3', 'c2']) queue.addLater(present)
  for (const changed of ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8']) queue.add(changed)
  for (let at = 0; at < 12; at++) await runs[at]?.end(settled)
  const order = ['first', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'p1', 'c7', 'c8', 'p2', 'p3']
  expect(runs.map(({ key: worked }) => worked)).toEqual(order)
})

test('a stop starts no run and waits for the running one', async () => {
  const { queue, runs, clock } = harness(1)
  queue.add('a')
  queue.add('b')
  let isStopped = false
  const stopped = queue.stop().then(() => (isStopped = true))
  queue.add('c')
  await Promise.resolve()
  expect(isStopped).toBe(false)
  await runs[0]?.end(failed)
  await stopped
  clock.advance(1e9)
  expect([runs.length, clock.waiting]).toEqual([1, 0])
})

type Step =
  | { readonly do: 'change'; readonly key: string }
  | { readonly do: 'present'; readonly key: string }
  | { readonly do: 'delete'; readonly key: string }
  | { readonly do: 'end'; readonly which: number; readonly outcome: Outcome }
  | { readonly do: 'wait'; readonly ms: number }

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant(settled),
  fc.constant(failed),
  fc.nat(50).map((afterMs): Outcome => ({ kind: 'again', afterMs })),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: key.map((one): Step => ({ do: 'change', key: one })) },
  { weight: 1, arbitrary: key.map((one): Step => ({ do: 'delete', key: one })) },
  { weight: 2, arbitrary: key.map((one): Step => ({ do: 'present', key: one })) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(9), outcome }) },
  { weight: 2, arbitrary: fc.nat(60).map((ms): Step => ({ do: 'wait', ms })) },
)

test('for any sequence, every change is followed by a later run, and a key never runs twice at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (steps, concurrency) => {
      const { queue, runs, open, clock, broken, now } = harness(concurrency)
      const changed = new Map<string, number>()
      for (const one of steps) {
        if (one.do === 'change' || one.do === 'present') {
          changed.set(one.key, now())
          if (one.do === 'present') queue.addLater(one.key)
          else queue.add(one.key)
        } else if (one.do === 'delete') {
          changed.delete(one.key)
          queue.forget(one.key)
        } else if (one.do === 'wait') clock.advance(one.ms)
        else await [...open.values()][one.which % Math.max(1, open.size)]?.end(one.outcome)
        const began = (name: string) => runs.findLast((run) => run.key === name)?.began ?? 0
        const isWaiting = [...changed].some(([name, at]) => began(name) < at && !open.has(name))
        if (isWaiting) expect(open.size, 'no key waits while a slot is free').toBe(concurrency)
      }
      // The clock does not advance here: a change waits only for a free slot.
      for (let run = [...open.values()][0]; run; run = [...open.values()][0]) await run.end(settled)
      for (const [one, at] of changed) {
        const last = runs.findLast((run) => run.key === one)
        expect(last?.began ?? 0, `${one} changed at ${at}`).toBeGreaterThan(at)
      }
      expect(broken).toEqual([])
      await queue.stop()
      expect(clock.waiting).toBe(0)
    }),
    { numRuns: 300 * Number(process.env['CASES'] ?? 1) },
  )
})
