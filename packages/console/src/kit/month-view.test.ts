import { expect, test } from 'vitest'
import { addDays, addMonths, parseDay, weeksOf } from './month-view.ts'

test('a month is six weeks from Monday', () => {
  const weeks = weeksOf('2026-11-24')
  expect(weeks).toHaveLength(6)
  expect(weeks[0]?.[0]).toBe('2026-10-26')
  expect(weeks[4]?.[0]).toBe('2026-11-23')
})

test('days and months carry over', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addMonths('2026-11-30', 3)).toBe('2027-02-01')
})

test.each([
  ['2026-11-24', '2026-11-24'],
  ['24 Nov 2026', '2026-11-24'],
  ['24 november', '2026-11-24'],
  ['24.11.2026', '2026-11-24'],
  ['2026-02-30', undefined],
  ['soon', undefined],
])('%s is %s', (text, day) => {
  expect(parseDay(text, '2026-11-18')).toBe(day)
})
