import { longest, type ReadLine } from './read-lines.ts'

/** A record of a CSV; an absent cell is undefined, the empty text is quoted. */
export interface CsvRecord {
  /** Line on which it begins. */
  readonly number: number
  readonly lastLine: number
  readonly end: number
  /** Undefined for a text that is not CSV. */
  readonly cells: readonly (string | undefined)[] | undefined
}

/** Parses records as RFC 4180 has them; quoted cells may contain line breaks. */
export async function* csvRecords(lines: AsyncIterable<ReadLine>): AsyncGenerator<CsvRecord, void, undefined> {
  let open: { readonly number: number; readonly text: string } | undefined
  let last = { lastLine: 0, end: 0 }
  for await (const { number, text, end } of lines) {
    const record = open
      ? { number: open.number, text: `${open.text}\n${text}` }
      : { number, text: number === 1 ? text.replace(/^\uFEFF/, '') : text }
    last = { lastLine: number, end }
    const isOpen = (record.text.split('"').length - 1) % 2 === 1 && record.text.length <= longest
    open = isOpen ? record : undefined
    const whole = record.text.replace(/\r$/, '')
    if (!isOpen && whole !== '') yield { number: record.number, ...last, cells: cellsOf(whole) }
  }
  if (open) yield { number: open.number, ...last, cells: undefined }
}

function cellsOf(text: string): readonly (string | undefined)[] | undefined {
  const cells: (string | undefined)[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/gy
  for (;;) {
    const found = cell.exec(text)
    if (!found) return undefined
    const [, quoted, plain = '', separator] = found
    cells.push(quoted === undefined ? plain || undefined : quoted.replaceAll('""', '"'))
    if (separator === '') return cells
  }
}
