import { describe, expect, it } from 'vitest'
import { axisText, dateText, figureText, withUnit } from './figure-text.ts'

describe('figures', () => {
  it.each([
    [0, '0'],
    [0.12345, '0.123'],
    [12.34, '12.3'],
    [99.96, '100'],
    [347.2, '347'],
    [1234.5, '1,235'],
  ])('%s is shown as %s', (value, expected) => {
    expect(figureText(value)).toBe(expected)
  })

  it.each([
    [500, '500'],
    [1000, '1,000'],
    [10_000, '10k'],
    [2_500_000, '2.5M'],
  ])('an axis shows %s as %s', (value, expected) => {
    expect(axisText(value)).toBe(expected)
  })

  it('a figure without a unit ends without a space', () => {
    expect([withUnit(0, ''), withUnit(25, 'ms')]).toEqual(['0', '25\u00A0ms'])
  })

  it('a date does not depend on the time zone', () => {
    expect(dateText('2026-11-20')).toBe('20 November 2026')
  })
})
