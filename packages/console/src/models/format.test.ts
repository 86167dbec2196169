import { expect, test } from 'vitest'
import { formatDate, formatNumber, unitOf, valueWords } from './format.ts'

test('numbers have no binary fractions', () => {
  expect(formatNumber(20.990000000000002, 'en')).toBe('20.99')
  expect(formatNumber(8640, 'en', { as: 'currency' })).toBe('8,640.00')
})

test('a unit stands after the number, or where the schema says', () => {
  expect(unitOf({ unit: 'h' })).toEqual({ before: '', after: 'h' })
  expect(unitOf({ unit: { before: '€' } })).toEqual({ before: '€', after: '' })
  expect(unitOf({ as: 'percent' })).toEqual({ before: '', after: '%' })
})

test('dates are dates in each language', () => {
  expect(formatDate('2026-11-24', 'en', false)).toBe('24 Nov 2026')
  expect(formatDate('2026-11-24', 'zh', false)).toBe('2026-11-24')
  expect(formatDate('not a date', 'en', false)).toBe('not a date')
})

test.each([
  ['toApprove', 'To approve'],
  ['in-progress', 'In progress'],
  ['done', 'Done'],
  ['EU', 'EU'],
  ['Ann Berger', 'Ann Berger'],
  ['未完成', '未完成'],
])('the value %s reads %s', (value, text) => {
  expect(valueWords(value)).toBe(text)
})
