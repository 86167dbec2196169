import { describe, expect, test } from 'vitest'
import { expiryOf } from './expiry.ts'

const now = Date.parse('2030-01-01T00:00:00Z')

describe('a token expires', () => {
  const rows = [
    ['90m', '2030-01-01T01:30:00.000Z'],
    ['12h', '2030-01-01T12:00:00.000Z'],
    ['30d', '2030-01-31T00:00:00.000Z'],
    ['2030-06-01', '2030-06-01T00:00:00.000Z'],
    ['2030-06-01T10:00:00+02:00', '2030-06-01T08:00:00.000Z'],
  ] as const
  for (const [text, end] of rows) test(text, () => expect(expiryOf(text, now)?.toISOString()).toBe(end))
  test('never', () => expect(expiryOf('never', now)).toBeUndefined())
})

describe('an expiry is rejected', () => {
  const rows = [
    ['soon', /takes 90m, 12h, 30d, a date such as 2030-12-31, or never; not "soon"/],
    ['', /not ""/],
    ['-1d', /not "-1d"|must lie in the future/],
    ['0d', /must lie in the future/],
    ['2029-12-31', /must lie in the future/],
  ] as const
  for (const [text, message] of rows) test(`"${text}"`, () => expect(() => expiryOf(text, now)).toThrow(message))
})
