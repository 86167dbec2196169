import { expect, test } from 'vitest'
import { marked, searchTerms, type SearchIndexes } from './search-terms.ts'

const told = (query: string, indexes: SearchIndexes) =>
  searchTerms(query, indexes).map((terms) =>
    terms.map((term) => `${term.key} ${'value' in term ? term.value : ''}`).join(', '),
  )

test('a query is looked for in names, and in indexed words or else in an indexed title', () => {
  expect(told(' Water the ', { hasWords: false })).toEqual(['metadata.name water-the'])
  expect(told('water the', { title: 'spec.title', hasWords: false })).toEqual([
    'metadata.name water-the',
    'spec.title water the',
    'spec.title Water the',
  ])
  expect(told('Water', { title: 'spec.title', hasWords: false })).toEqual(['metadata.name water', 'spec.title Water'])
  expect(told('The pl', { title: 'spec.title', hasWords: true })).toEqual([
    'metadata.name the-pl',
    'words the, words pl',
  ])
  expect(told('李伟', { hasWords: true })).toEqual(['metadata.name 李伟', 'words 李伟'])
})

test.each([
  ['Standing desks', 'DESK', ['Standing ', 'desk', 's']],
  ['Standing desks', 'lamp', ['Standing desks', '', '']],
  ['Standing desks', ' ', ['Standing desks', '', '']],
])('in "%s" the query "%s" is marked', (title, query, parts) => {
  const { before, match, after } = marked(title, query)
  expect([before, match, after]).toEqual(parts)
})
