import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine } from '../objects/csv.ts'
import { csvRecords } from './csv-records.ts'
import { readLines } from './read-lines.ts'

async function read(text: string): Promise<readonly (readonly (string | undefined)[] | undefined)[]> {
  const stream = (async function* () {
    // In small pieces, so that lines and characters are cut.
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3)
  })() as unknown as NodeJS.ReadableStream
  const found: (readonly (string | undefined)[] | undefined)[] = []
  for await (const { cells } of csvRecords(readLines(stream))) found.push(cells)
  return found
}

test('what is written as CSV is read again: commas, quotes, line breaks, spaces, absent and empty', async () => {
  const cell = fc.option(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', ' ', '"', ',', '\n', '\r\n', '\r', '"\n,')),
    {
      nil: undefined,
    },
  )
  const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(records, async (rows) => {
      expect(await read(rows.map(csvLine).join(''))).toEqual(rows)
    }),
  )
})

test.each([
  [
    'a byte order mark and CRLF',
    '\uFEFFa,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['no line break at the end', 'a\n1', [['a'], ['1']]],
  ['empty lines', 'a\n\n1\n', [['a'], ['1']]],
])('reads %s', async (_what, text, records) => {
  expect(await read(text)).toEqual(records)
})

test.each([
  ['a quote that is never closed', 'a\n"b\nc\n', [['a'], undefined]],
  ['a quote in the middle of a cell', 'a\nb"c"d\ne\n', [['a'], undefined, ['e']]],
])('has no cells for %s', async (_what, text, records) => {
  expect(await read(text)).toEqual(records)
})
