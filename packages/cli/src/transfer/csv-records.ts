import { longest, type ReadLine } from './read-lines.ts'

/** A record of a CSV; an absent cell is undefined, the empty text is quoted. */
export interface CsvRecord {
  /** Line on which it begins. */
  readonly number: number
  readonly lastLine: number
  readonly cells: readonly (string | undefined)[]
  readonly end: number
}

/** Parses records as RFC 4180 has them; quoted cells may contain line breaks. */
export async function* csvRecords(lines: AsyncIterable<ReadLine>): AsyncGenerator<CsvRecord, void, undefined> {
  let open: { readonly number: number; readonly text: string } | undefined
  for await (const { number, text, end } of lines) {
    const record: { readonly number: number; readonly text: string } = open
      ? { number: open.number, text: `${open.text}\n${text}` }
      : { number, text: number === 1 ? text.replace(/^\uFEFF/, '') : text }
    const quotes = record.text.split('"').length - 1
    open = quotes % 2 === 1 ? record : undefined
    if (open && open.text.length > longest) break
    const whole = record.text.replace(/\r$/, '')
    if (!open && whole !== '') yield { number: record.number, lastLine: number, cells: cellsOf(whole), end }
  }
  if (open) throw new Error(`line ${open.number} has a quote that is never closed`)
}

function cellsOf(text: string): readonly (string | undefined)[] {
  const cells: (string | undefined)[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/gy
  for (;;) {
    const found = cell.exec(text)
    if (!found) throw new Error(`"${text.slice(0, 60)}" is not a line of CSV: a quote stands in the middle of a cell`)
    const [, quoted, plain = '', separator] = found
    cells.push(quoted === undefined ? plain || undefined : quoted.replaceAll('""', '"'))
    if (separator === '') return cells
  }
}
