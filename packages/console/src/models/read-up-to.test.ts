import { expect, it } from 'vitest'
import { readUpTo } from './read-up-to.ts'

it.each([
  ['reads every page', 10, 7, [0, 1, 2, 3, 4, 5, 6], 3],
  ['reads no page beyond the bound', 4, 7, [0, 1, 2, 3], 2],
  ['cuts the last page', 5, 7, [0, 1, 2, 3, 4], 2],
  ['an empty list', 5, 0, [], 1],
])('%s', async (_, most, total, expected, pages) => {
  const size = 3
  const all = Array.from({ length: total }, (__, at) => at)
  const read: number[] = []
  const found = await readUpTo(most, async (page) => {
    read.push(page)
    return { items: all.slice((page - 1) * size, page * size), hasNext: page * size < total }
  })
  expect(found).toEqual(expected)
  expect(read).toHaveLength(pages)
})
