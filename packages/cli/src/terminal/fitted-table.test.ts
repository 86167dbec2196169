import { expect, test } from 'vitest'
import { clipped, fittedTable } from './fitted-table.ts'

const table = {
  heads: ['NAME', 'CALLED', 'KIND'],
  rows: [
    ['todo-view', 'View todos', 'template'],
    ['x', 'Y', ''],
  ],
}

test.each([
  [undefined, ['  NAME       CALLED      KIND', '  todo-view  View todos  template', '  x          Y']],
  [33, ['  NAME       CALLED      KIND', '  todo-view  View todos  template', '  x          Y']],
  [32, ['  NAME       CALLED', '  todo-view  View todos', '  x          Y']],
  [12, ['  NAME', '  todo-view', '  x']],
  [8, ['  NAME', '  todo-…', '  x']],
])('a table for a width of %s drops columns, and never wraps', (columns, lines) => {
  expect(fittedTable({ columns }, table)).toEqual(lines)
})

test('drops the columns that matter least first', () => {
  expect(fittedTable({ columns: 24 }, { ...table, leastWorthy: [1] })[1]).toBe('  todo-view  template')
})

test('a line is shortened by its width, not by its characters', () => {
  expect(clipped('ab', 2)).toBe('ab')
  expect(clipped('漢字漢字', 6)).toBe('漢字…')
})

test('shortens a last column of descriptions, as long as enough of it stays', () => {
  const described = { heads: ['FIELD', 'DESCRIPTION'], rows: [['title', 'What has to be done']], shortensLast: true }
  expect(fittedTable({ columns: 27 }, described)).toEqual(['  FIELD  DESCRIPTION', '  title  What has to be do…'])
  expect(fittedTable({ columns: 24 }, described)).toEqual(['  FIELD', '  title'])
})
