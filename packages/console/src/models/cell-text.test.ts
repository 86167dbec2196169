import { expect, it } from 'vitest'
import { cellText, isTime, valueAt } from './cell-text.ts'

it('reads a value by its path, and the values of all items of a list', () => {
  const object = { spec: { title: 'milk' }, subjects: [{ name: 'ann' }, {}, { name: 'bob' }] }
  expect(valueAt(object, 'spec.title')).toBe('milk')
  expect(valueAt(object, 'subjects.name')).toEqual(['ann', 'bob'])
  expect(valueAt(object, 'spec.title.length')).toBeUndefined()
})

it.each([
  [null, ''],
  [true, 'yes'],
  [['a', 1, false], 'a, 1, no'],
  [{ street: 'Harbour' }, '{"street":"Harbour"}'],
  [20.99, '20.99'],
])('%j in a cell is "%s"', (value, text) => {
  expect(cellText(value, { yes: 'yes', no: 'no' })).toBe(text)
})

it.each([
  ['2026-11-24T10:00:00Z', true],
  ['2026-11-24T10:00:00.123+01:00', true],
  ['2026-11-24', false],
  [20_261_124, false],
])('%j is a time: %s', (value, is) => {
  expect(isTime(value)).toBe(is)
})
