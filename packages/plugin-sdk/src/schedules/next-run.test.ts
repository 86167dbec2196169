import { describe, expect, test } from 'vitest'
import type { Timing } from '../schedule.ts'
import { nextRun } from './next-run.ts'

const rows: readonly (readonly [timing: Timing, after: string, next: string | undefined])[] = [
  [{ every: '90s' }, '2030-03-01T09:00:00.500Z', '2030-03-01T09:01:30.500Z'],
  [{ cron: '* * * * *' }, '2030-03-01T09:00:00.000Z', '2030-03-01T09:01:00.000Z'],
  [{ cron: '0 3 * * *' }, '2030-03-01T02:59:59.999Z', '2030-03-01T03:00:00.000Z'],
  [{ cron: '0 3 * * *' }, '2030-03-01T03:00:00.000Z', '2030-03-02T03:00:00.000Z'],
  [{ cron: '*/20 8-9 * * *' }, '2030-03-01T08:40:00.000Z', '2030-03-01T09:00:00.000Z'],
  [{ cron: '5/25 * * * *' }, '2030-03-01T08:06:00.000Z', '2030-03-01T08:30:00.000Z'],
  [{ cron: '0 0 1 1 *' }, '2030-03-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'],
  [{ cron: '0 0 29 2 *' }, '2030-03-01T00:00:00.000Z', '2032-02-29T00:00:00.000Z'],
  [{ cron: '0 0 * * 0' }, '2030-03-01T00:00:00.000Z', '2030-03-03T00:00:00.000Z'],
  [{ cron: '0 0 * * 7' }, '2030-03-01T00:00:00.000Z', '2030-03-03T00:00:00.000Z'],
  [{ cron: '0 12 10 * 1-5' }, '2030-03-01T13:00:00.000Z', '2030-03-04T12:00:00.000Z'],
  [{ cron: '0 12 3 * 1' }, '2030-03-01T13:00:00.000Z', '2030-03-03T12:00:00.000Z'],
  [{ cron: '0,30 23 31 12 *' }, '2030-12-31T23:10:00.000Z', '2030-12-31T23:30:00.000Z'],
  [{ cron: '0 0 30 2 *' }, '2030-03-01T00:00:00.000Z', undefined],
]

describe('the next run', () => {
  for (const [timing, after, next] of rows) {
    test(`by ${JSON.stringify(timing)} after ${after}`, () => {
      const found = nextRun(timing, Date.parse(after))
      expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(next)
    })
  }
})
