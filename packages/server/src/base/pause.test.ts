import { expect, test } from 'vitest'
import { createPause } from './pause.ts'

test('others get a turn after a few milliseconds of work, and not before', async () => {
  let turns = 0
  const waiting = () => setImmediate(() => turns++)
  const pause = createPause()
  waiting()
  await pause()
  expect(turns).toBe(0)
  for (const expected of [1, 2]) {
    waiting()
    const until = performance.now() + 6
    while (performance.now() < until);
    await pause()
    expect(turns).toBeGreaterThanOrEqual(expected)
  }
})
