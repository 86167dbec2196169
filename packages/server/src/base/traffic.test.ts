import { expect, test } from 'vitest'
import { createTraffic } from './traffic.ts'

test('requests are counted in the bucket of their end time, and old buckets are dropped', () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const traffic = createTraffic({ now: () => now })
  for (let request = 0; request < 98; request++) traffic.record(2, false)
  traffic.record(400, true)
  traffic.record(400, false)
  now += 10_000
  traffic.record(7, false)
  const { buckets, everyMs } = traffic.recent()
  expect(buckets).toHaveLength(90)
  expect(everyMs).toBe(10_000)
  const [before, current] = buckets.slice(-2)
  expect(before).toMatchObject({ at: '2026-01-01T00:00:00.000Z', requests: 100, failed: 1 })
  expect(before?.p50).toBeGreaterThanOrEqual(2)
  expect(before?.p50).toBeLessThan(2.5)
  expect(before?.p99).toBeGreaterThanOrEqual(400)
  expect(before?.p99).toBeLessThan(500)
  expect(current).toMatchObject({ requests: 1, failed: 0 })
  now += 900_000
  expect(traffic.recent().buckets.every(({ requests }) => requests === 0)).toBe(true)
  expect(traffic.recent().buckets.at(-1)).not.toHaveProperty('p50')
})
