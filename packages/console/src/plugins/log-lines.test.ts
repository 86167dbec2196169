import { expect, test } from 'vitest'
import { logEntries, matching } from './log-lines.ts'

const linesOf = (texts: readonly string[]) => texts.map((text) => ({ text }))

const crash = [
  'about to fail',
  'file:///tmp/plugin.js:16191',
  '\t\tthrow new Error("it fails on purpose");',
  '\t\t^',
  '',
  'Error: it fails on purpose',
  '    at Timeout._onTimeout (src/plugin.ts:3:101)',
  '',
  'Node.js v24.21.0',
  'pergola: it ended with code 1; it is started again in 1 s',
  'about to fail',
]

test('a printed error is one entry with its stack', () => {
  const entries = logEntries(linesOf(crash))
  expect(entries.map(({ level }) => level)).toEqual(['info', 'error', 'host', 'info'])
  expect(entries[1]?.text).toContain('Error: it fails on purpose\n    at Timeout._onTimeout')
  expect(entries[2]?.text).toBe('it ended with code 1; it is started again in 1 s')
})

const levels: readonly (readonly [string, string])[] = [
  ['TypeError: rows is undefined', 'error'],
  ['error: no connection', 'error'],
  ['[ERROR] no connection', 'error'],
  ['{"level":50,"msg":"no connection"}', 'error'],
  ['{"level":"warn","msg":"slow"}', 'warn'],
  ['{"level":40,"msg":"slow"}', 'warn'],
  ['(node:12) ExperimentalWarning: SQLite', 'warn'],
  ['Warning: slow', 'warn'],
  ['finished without errors', 'info'],
  ['{"level":30,"msg":"error count 0"}', 'info'],
]
test.each(levels)('%s is %s', (line, level) => {
  expect(logEntries(linesOf([line])).map((entry) => entry.level)).toEqual([level])
})

test('two errors in a row are two entries', () => {
  expect(logEntries(linesOf(['Error: one', 'Error: two'])).map(({ text }) => text)).toEqual([
    'Error: one',
    'Error: two',
  ])
})

test('an entry has the time of its first line', () => {
  const entries = logEntries([
    { text: 'Error: one', time: 't1' },
    { text: '    at a.ts:1', time: 't2' },
    { text: 'two', time: 't3' },
  ])
  expect(entries.map(({ time }) => time)).toEqual(['t1', 't3'])
})

test('a filter and a search narrow the entries', () => {
  const entries = logEntries(linesOf(['one', 'warning: two', 'error: three']))
  const shown = (filter: 'all' | 'warn' | 'error', text = '') =>
    matching(entries, { filter, text }).map(({ text: said }) => said)
  expect(shown('warn')).toEqual(['warning: two', 'error: three'])
  expect(shown('error')).toEqual(['error: three'])
  expect(shown('all', ' TW')).toEqual(['warning: two'])
})

test('lines of replicas do not break the errors of others', () => {
  const entries = logEntries([
    { text: 'Error: one', replica: 'east' },
    { text: 'two', replica: 'west' },
    { text: '    at a.ts:1', replica: 'east' },
  ])
  expect(entries.map(({ text }) => text)).toEqual(['Error: one\n    at a.ts:1', 'two'])
  expect(matching(entries, { filter: 'all', text: '', replica: 'west' }).map(({ text }) => text)).toEqual(['two'])
})
