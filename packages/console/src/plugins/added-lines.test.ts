import { expect, it } from 'vitest'
import { addedLines } from './added-lines.ts'

const sent = (last: number, ...items: readonly string[]) => ({
  items,
  times: items.map(() => '2030-01-01T00:00:00Z'),
  replicas: items.map(() => 'one'),
  last,
})
const texts = (known: ReturnType<typeof addedLines>) => known.lines.map(({ text }) => text)

it('new lines follow the known ones', () => {
  const first = addedLines(undefined, sent(2, 'a', 'b'))
  expect(texts(addedLines(first, sent(3, 'c')))).toEqual(['a', 'b', 'c'])
  expect(addedLines(first, sent(2))).toBe(first)
})

it('a log that began again replaces the known lines', () => {
  expect(texts(addedLines(addedLines(undefined, sent(7, 'old')), sent(1, 'new')))).toEqual(['new'])
})

it('keeps a bounded number of lines', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => String(at))
  const known = addedLines(addedLines(undefined, sent(2_000, ...many)), sent(2_001, 'last'))
  expect([known.lines.length, texts(known)[0], texts(known).at(-1)]).toEqual([2_000, '1', 'last'])
})
