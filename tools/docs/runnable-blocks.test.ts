import { expect, test } from 'vitest'
import { parseBlocks, unmetExpectation } from './runnable-blocks.ts'

const document = [
  '# Title',
  '```sh run',
  'echo one',
  'echo two',
  '```',
  'prose',
  '```text expect',
  'o…e',
  'two',
  '```',
  '```sh',
  'rm -rf x',
  '```',
].join('\n')

test('only fenced "sh run" blocks are run, with the lines expected of them', () => {
  expect(parseBlocks(document)).toEqual([{ code: 'echo one\necho two', expect: ['o…e', 'two'] }])
})

test('expected lines must all be there and in order', () => {
  const block = { code: 'x', expect: ['o…e', 'two'] }
  expect(unmetExpectation(block, 'one\nnoise\ntwo\n')).toBeUndefined()
  expect(unmetExpectation(block, 'two\none\n')).toContain('"two" is missing')
  expect(unmetExpectation(block, 'one and a half\ntwo\n')).toContain('"o…e" is missing')
  expect(unmetExpectation(block, undefined)).toContain('never ran')
})

test('an expected line is text, not a pattern', () => {
  expect(unmetExpectation({ code: 'x', expect: ['a.c'] }, 'abc\n')).toContain('missing')
})
