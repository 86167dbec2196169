import { expect, test } from 'vitest'
import { expiryAfter, tokenDays, usualTokenDays } from './token-expiry.ts'

test('a token ends after its days, and with 0 days never', () => {
  const now = Date.parse('2026-11-18T10:00:00Z')
  expect(expiryAfter(90, now)).toBe('2027-02-16T10:00:00.000Z')
  expect(expiryAfter(0, now)).toBeUndefined()
})

test('the usual life is 90 days and is among those offered', () => {
  expect(usualTokenDays).toBe(90)
  expect(tokenDays).toContain(usualTokenDays)
})
