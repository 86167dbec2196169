import { expect, test } from 'vitest'
import { niceTop, timeMarks } from './axes.ts'

test('an axis ends at a round figure', () => {
  expect([0, 0.4, 1, 3, 17, 40, 99, 100].map(niceTop)).toEqual([1, 1, 1, 5, 20, 50, 100, 100])
})

test('marks stand evenly, the first and the last included', () => {
  expect(timeMarks(90, 4)).toEqual([0, 30, 59, 89])
  expect(timeMarks(1, 4)).toEqual([])
})
