import { expect, it } from 'vitest'
import { fromAddress, toAddress, type ListState } from './list-state.ts'

const plain: ListState = {
  where: [],
  labels: '',
  sort: [],
  page: 1,
  size: 50,
  columns: undefined,
  open: undefined,
}

it.each<[string, Partial<ListState>]>([
  ['nothing', {}],
  ['a page of another size', { page: 3, size: 100 }],
  ['two orders', { sort: ['spec.title,desc', 'metadata.name,asc'] }],
  ['labels and a preview', { labels: 'a=b,!c', open: 'milk' }],
  ['chosen columns', { columns: ['spec.state', 'created'] }],
  ['no column beside the title', { columns: [] }],
  ['values with a comma', { where: [{ key: 'spec.state', op: 'in', values: ['a', 'b,c'] }] }],
])('the address keeps %s', (_, state) => {
  expect(fromAddress(toAddress({ ...plain, ...state }))).toMatchObject({ ...plain, ...state })
})

it.each([
  ['a selector that cannot be parsed', { where: '((' }],
  ['a page that is none', { page: 'x' }],
  ['a negative page', { page: '-2' }],
  ['a size that is not offered', { size: '7' }],
  ['empty parameters', { where: null, sort: null }],
])('ignores %s', (_, query) => {
  expect(fromAddress(query)).toEqual(plain)
})
