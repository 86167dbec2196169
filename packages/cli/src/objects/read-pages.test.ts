import type { ListQuery } from '@pergola/client'
import { expect, test } from 'vitest'
import { readPages } from './read-pages.ts'

/** A list of `count` objects in pages of `each`; records the queries. */
function pages(count: number, each: number) {
  const asked: ListQuery[] = []
  const list = async (query: ListQuery) => {
    asked.push(query)
    const from = Number(query.continue ?? 0)
    const names = Array.from({ length: Math.min(each, count - from) }, (_, at) => String(from + at))
    const items = names.map((name) => ({ metadata: { name } }) as never)
    return { items, ...(from + each < count && { continue: String(from + each) }) }
  }
  return { asked, list }
}

async function namesOf(objects: AsyncIterable<{ readonly metadata: { readonly name: string } }>) {
  const names: string[] = []
  for await (const { metadata } of objects) names.push(metadata.name)
  return names
}

test('objects come in order, up to the limit', async () => {
  const { list } = pages(25, 10)
  expect(await namesOf(readPages({ list, query: {} }))).toEqual(Array.from({ length: 25 }, (_, at) => String(at)))
  expect(await namesOf(readPages({ list, query: {}, limit: 12 }))).toHaveLength(12)
  expect(await namesOf(readPages({ list: pages(0, 10).list, query: {} }))).toEqual([])
})

test('at most one page is read ahead, and none beyond the limit', async () => {
  const { list, asked } = pages(100, 10)
  const objects = readPages({ list, query: { sort: 'a' } })
  for (let at = 0; at < 10; at++) await objects.next()
  expect(asked).toEqual([{ sort: 'a', size: 500 }, { continue: '10' }])
  await objects.next()
  expect(asked).toHaveLength(3)
  const few = pages(100, 10)
  await namesOf(readPages({ list: few.list, query: {}, limit: 10 }))
  expect(few.asked).toEqual([{ size: 10 }])
})

test('a failed page is thrown after all objects of the pages before it', async () => {
  const { list } = pages(100, 10)
  const names: string[] = []
  const read = async () => {
    const broken = (query: ListQuery) => (query.continue === '10' ? Promise.reject(new Error('cut')) : list(query))
    for await (const { metadata } of readPages({ list: broken, query: {} })) names.push(metadata.name)
  }
  await expect(read()).rejects.toThrow('cut')
  expect(names).toHaveLength(10)
})
