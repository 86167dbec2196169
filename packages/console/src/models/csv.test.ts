import { expect, test } from 'vitest'
import { csvOf } from './csv.ts'

test('texts with commas, quotes and lines are quoted, and formulas are texts', () => {
  expect(
    csvOf(
      ['Name', 'Note'],
      [
        ['a', 'x, "y"\nz'],
        ['b', '=1+1'],
        ['c', -3],
      ],
    ),
  ).toBe('Name,Note\r\na,"x, ""y""\nz"\r\nb,\'=1+1\r\nc,-3')
})
