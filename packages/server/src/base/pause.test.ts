import { expect, onTestFinished, test, vi } from 'vitest'
import { createPause } from './pause.ts'

test('yields to the event loop after 5 ms of work, and not before', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let turns = 0
  const waiting = () => setImmediate(() => turns++)
  const pause = createPause()
  waiting()
  vi.advanceTimersByTime(4)
  await pause()
  expect(turns).toBe(0)
  for (const expected of [1, 2]) {
    waiting()
    vi.advanceTimersByTime(5)
    await pause()
    expect(turns).toBeGreaterThanOrEqual(expected)
  }
})
