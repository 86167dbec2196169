import { describe, expect, test } from 'vitest'
import { numbersOf, parseSentences, readSentences, testFiles } from './sentences.ts'
import { judge } from './verdict.ts'

const engines = ['A', 'B']
const sentences = parseSentences(`
## C1 One
- **C1-1** It holds.
- **C1-2** It bends.
## Later
- **C1-3** (watch) It moves.
`)
const outcome = (title: string, engine: string, passed = true) => ({ title, engine, passed })

test('a sentence is kept when every one of its tests passes on every engine', () => {
  const { passed, counted, failures } = judge(
    sentences,
    [outcome('C1-1 a', 'A'), outcome('C1-1 a', 'B'), outcome('C1-2 b', 'A'), outcome('C1-2 b', 'B')],
    engines,
  )
  expect({ passed, counted, failures }).toEqual({ passed: 2, counted: 2, failures: [] })
})

describe('a sentence is not kept when', () => {
  const cases = [
    ['it has no test', []],
    ['an engine is missing', [outcome('C1-1 a', 'A')]],
    ['one of its tests fails', [outcome('C1-1 a', 'A'), outcome('C1-1 a', 'B'), outcome('C1-1 b', 'B', false)]],
  ] as const
  for (const [what, outcomes] of cases) {
    test(what, () => {
      expect(judge(sentences, outcomes, engines)).toMatchObject({ passed: 0, counted: 2 })
    })
  }
})

test('one test may prove several sentences', () => {
  expect(numbersOf('S2.6-1 C1-2 a name')).toEqual(['S2.6-1', 'C1-2'])
  expect(numbersOf('a name, as C1-2 says')).toEqual([])
})

test('tests without a promise, promises without a test, and promises for later are reported', () => {
  const titles = ['C1-1 a', 'C9-9 b', 'no number', 'C1-3 later']
  const verdict = judge(
    sentences,
    titles.map((title) => outcome(title, 'A')),
    engines,
  )
  expect(verdict.unpromised).toEqual(['C9-9 b', 'no number', 'C1-3 later'])
  expect(verdict.untested.map(({ number }) => number)).toEqual(['C1-2'])
})

describe('a list of sentences is rejected when', () => {
  const cases = [
    ['a number is used twice', '## C1 One\n- **C1-1** a\n- **C1-1** b'],
    ['a number is malformed', '## C1 One\n- **C1.x** a'],
    ['a sentence for later is outside the section Later', '## C1 One\n- **C1-1** (watch) a'],
    ['a sentence in the section Later names no missing part', '## Later\n- **C1-1** a'],
  ] as const
  for (const [what, markdown] of cases) {
    test(what, () => {
      expect(() => parseSentences(markdown)).toThrow(/C1|numbered/)
    })
  }
})

test('every sentence that counts has a test, and every test a sentence', () => {
  const counted = readSentences()
    .filter(({ waitsFor }) => waitsFor === undefined)
    .map(({ number }) => number)
  const tested = [...testFiles().keys()]
  expect({
    untested: counted.filter((number) => !tested.includes(number)),
    unpromised: tested.filter((number) => !counted.includes(number)),
  }).toEqual({ untested: [], unpromised: [] })
})
