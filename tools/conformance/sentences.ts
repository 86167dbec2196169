import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const tests = join(import.meta.dirname, '../../tests')
/** Folders with tests of promises; a promise about an attack may be tested only in the second. */
const folders = ['conformance', 'security']

/** A line of `sentences.md`. */
export interface Sentence {
  readonly number: string
  readonly text: string
  /** Its heading; `Later` if it does not count yet. */
  readonly section: string
  /** The part of the product that is still missing; absent if the promise counts. */
  readonly waitsFor?: string
}

const number = String.raw`[SC]\d+(?:\.\d+)?-\d+`
const sentenceLine = new RegExp(String.raw`^- \*\*(${number})\*\* (?:\((plugins|access|watch)\) )?(.+)$`)
const titleStart = new RegExp(String.raw`^(?:${number} )+`)
const titleInSource = new RegExp(String.raw`['"\x60](?:\$\{\w+\} )?(${number}(?: ${number})*)(?=[ '"\x60])`, 'g')

export function readSentences(): readonly Sentence[] {
  return parseSentences(readFileSync(join(tests, 'conformance/sentences.md'), 'utf8'))
}

/** Throws for a duplicate number and for a malformed sentence. */
export function parseSentences(markdown: string): readonly Sentence[] {
  const sentences: Sentence[] = []
  let section = ''
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3)
    if (!line.startsWith('- **')) continue
    const [, found, waitsFor, text] = sentenceLine.exec(line) ?? []
    if (found === undefined || text === undefined) throw new Error(`not a numbered sentence: ${line}`)
    if ((section === 'Later') !== (waitsFor !== undefined))
      throw new Error(
        `${found}: what waits for a part stands under "Later", with the part's name, and nothing else does`,
      )
    if (sentences.some((other) => other.number === found)) throw new Error(`the number ${found} is used twice`)
    sentences.push({ number: found, text, section, ...(waitsFor !== undefined && { waitsFor }) })
  }
  return sentences
}

/** The numbers that a test's title begins with. */
export function numbersOf(title: string): readonly string[] {
  return titleStart.exec(title)?.[0].trim().split(' ') ?? []
}

/** The test files that name a number, as paths below `tests`, found by reading the files. */
export function testFiles(): ReadonlyMap<string, readonly string[]> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(tests, folder))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file}`),
  )
  const named = files.flatMap((file) =>
    [...readFileSync(join(tests, file), 'utf8').matchAll(titleInSource)]
      .flatMap(([, numbers = '']) => numbers.trim().split(' '))
      .map((found) => ({ found, file })),
  )
  const byNumber = Map.groupBy(named, ({ found }) => found)
  return new Map([...byNumber].map(([found, places]) => [found, [...new Set(places.map(({ file }) => file))]]))
}
