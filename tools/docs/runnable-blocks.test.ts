import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  continuedDocument,
  edited,
  parseBlocks,
  typed,
  unmetExpectation,
  type RunnableBlock,
} from './runnable-blocks.ts'

const fenced = (info: string, ...lines: readonly string[]) => ['```' + info, ...lines, '```'].join('\n')
const block = (parts: Partial<RunnableBlock>): RunnableBlock => ({
  kind: 'commands',
  code: 'x',
  file: '',
  expect: [],
  ...parts,
})

test('tagged blocks are run with their expected lines; other blocks are ignored', () => {
  const document = [
    fenced('sh run', 'echo one', 'echo two'),
    'prose',
    fenced('text expect', 'o…e', 'two'),
    fenced('sh', 'rm -rf x'),
    fenced('sh run foreground', 'npm run dev'),
    fenced('diff edit src/a.ts', '-a', '+b'),
    fenced('text expect', 'saved'),
  ].join('\n')
  expect(parseBlocks(document)).toEqual([
    block({ code: 'echo one\necho two', expect: ['o…e', 'two'] }),
    block({ kind: 'foreground', code: 'npm run dev' }),
    block({ kind: 'edit', file: 'src/a.ts', code: '-a\n+b', expect: ['saved'] }),
  ])
})

test('expected lines must all occur, in order', () => {
  const wanting = block({ expect: ['o…e', 'two'] })
  expect(unmetExpectation(wanting, 'one\nnoise\ntwo\n')).toBeUndefined()
  expect(unmetExpectation(wanting, 'two\none\n')).toContain('"two" is missing')
  expect(unmetExpectation(wanting, 'one and a half\ntwo\n')).toContain('"o…e" is missing')
})

test('an expected line is text, not a pattern', () => {
  expect(unmetExpectation(block({ expect: ['a.c'] }), 'abc\n')).toContain('missing')
})

test('an edit replaces lines at the one place that has them', () => {
  const edit = block({ kind: 'edit', file: 'f', code: ' a\n-b\n+c\n+$&\n d' })
  expect(edited('0\na\nb\nd\n', edit)).toBe('0\na\nc\n$&\nd\n')
  expect(() => edited('a\nd\n', edit)).toThrow('f does not contain exactly once:\na\nb\nd')
  expect(() => edited('a\nb\nd\na\nb\nd\n', edit)).toThrow('exactly once')
})

test('a document says in its front matter which one it continues', () => {
  expect(continuedDocument('---\ntitle: T\ncontinues: index.md\n---\n# T\n')).toBe('index.md')
  expect(continuedDocument('---\ntitle: T\n---\ncontinues: index.md\n')).toBeUndefined()
})

test('commands and lines that a person types are counted', () => {
  const here = block({ code: "a && b; c\nd \\\n  e\ncat > f <<'X'\none\ntwo\nX" })
  expect(typed([here, block({ kind: 'edit', code: ' x\n-a\n+b\n+c' })])).toEqual({ commands: 5, lines: 9 })
})

test('the tutorial takes at most 12 commands and 60 typed lines', () => {
  const { commands, lines } = typed(parseBlocks(readFileSync('docs/tutorial/index.md', 'utf8')))
  expect(commands).toBeLessThanOrEqual(12)
  expect(lines).toBeLessThanOrEqual(60)
})
