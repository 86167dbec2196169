import { expect, test } from 'vitest'
import { nextSort, sortOf } from './sort.ts'

test('a click turns a column from ascending to descending to none', () => {
  expect(nextSort([], 'a', false)).toEqual(['a,asc'])
  expect(nextSort(['a,asc'], 'a', false)).toEqual(['a,desc'])
  expect(nextSort(['a,desc'], 'a', false)).toEqual([])
  expect(nextSort(['b,asc'], 'a', false)).toEqual(['a,asc'])
})

test('with shift the other columns stay', () => {
  expect(nextSort(['b,asc'], 'a', true)).toEqual(['b,asc', 'a,asc'])
  expect(nextSort(['b,asc', 'a,desc'], 'a', true)).toEqual(['b,asc'])
  expect(sortOf(['b,asc', 'a,desc'], 'a')).toBe('desc')
})
