import { expect, test } from 'vitest'
import { marked, searchTerms } from './search-terms.ts'

const told = (query: string, path?: string) =>
  searchTerms(query, path).map((term) => `${term.key} ${'value' in term ? term.value : ''}`)

test('a query is looked for in names, and in titles that have an index', () => {
  expect(told(' Water the ')).toEqual(['metadata.name water-the'])
  expect(told('water the', 'spec.title')).toEqual([
    'metadata.name water-the',
    'spec.title water the',
    'spec.title Water the',
  ])
  expect(told('Water', 'spec.title')).toEqual(['metadata.name water', 'spec.title Water'])
})

test.each([
  ['Standing desks', 'DESK', ['Standing ', 'desk', 's']],
  ['Standing desks', 'lamp', ['Standing desks', '', '']],
  ['Standing desks', ' ', ['Standing desks', '', '']],
])('in "%s" the query "%s" is marked', (title, query, parts) => {
  const { before, match, after } = marked(title, query)
  expect([before, match, after]).toEqual(parts)
})
