import { expect, test } from 'vitest'
import { createRecentLog } from './recent-lines.ts'

const written = (count: number) => {
  let now = 0
  const log = createRecentLog(() => now)
  for (let at = 1; at <= count; at++) {
    now = at
    log.add('todo', `line ${at}`)
  }
  return log
}

test('returns the lines after a number, and the last number', () => {
  const log = written(3)
  expect(log.after('todo', 0)).toMatchObject({ items: ['line 1', 'line 2', 'line 3'], last: 3 })
  expect(log.after('todo', 2)).toEqual({ items: ['line 3'], times: ['1970-01-01T00:00:00.003Z'], last: 3 })
  expect(log.after('todo', 3)).toEqual({ items: [], times: [], last: 3 })
})

test('an unknown number returns all lines', () => {
  expect(written(2).after('todo', 900)).toMatchObject({ items: ['line 1', 'line 2'], last: 2 })
})

test('keeps the newest lines with their numbers', () => {
  const log = written(10_000)
  const { items, last } = log.after('todo', 0) ?? { items: [], last: 0 }
  expect([items.length, items[0], items.at(-1), last]).toEqual([500, 'line 9501', 'line 10000', 10_000])
  expect(log.after('todo', 9_998)?.items).toEqual(['line 9999', 'line 10000'])
})

test('keeps lines per plugin, and forgets a plugin', () => {
  const log = written(1)
  expect(log.after('shop', 0)).toBeUndefined()
  log.forget('todo')
  expect(log.after('todo', 0)).toBeUndefined()
})
