import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { machineClock } from './clock.ts'

test('a timer fires once after its time, unless it is cancelled', async () => {
  const woken: string[] = []
  machineClock.after(10, () => woken.push('ten'))
  machineClock.after(10, () => woken.push('never'))()
  await expect.poll(() => woken).toEqual(['ten'])
})

test('a timer longer than the limit of setTimeout does not fire at once', async () => {
  let isWoken = false
  const cancel = machineClock.after(2 ** 31, () => (isWoken = true))
  await sleep(50)
  cancel()
  expect(isWoken).toBe(false)
})
