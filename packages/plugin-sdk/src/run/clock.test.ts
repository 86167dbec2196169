import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { machineClock } from './clock.ts'

test('wakes once, after its time, unless it is taken back', async () => {
  const woken: string[] = []
  machineClock.after(10, () => woken.push('ten'))
  machineClock.after(10, () => woken.push('never'))()
  await expect.poll(() => woken).toEqual(['ten'])
})

test('waits for months, where a timer of the runtime would fire at once', async () => {
  let isWoken = false
  const cancel = machineClock.after(2 ** 31, () => (isWoken = true))
  await sleep(50)
  cancel()
  expect(isWoken).toBe(false)
})
