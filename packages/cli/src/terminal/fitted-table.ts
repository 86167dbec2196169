import { columnWidths, lineWidth, tableLine } from './table.ts'
import type { Terminal } from './terminal.ts'
import { textWidth } from './text-width.ts'

/** A column with less is dropped instead. */
const leastShortened = 16

export interface FittedTable {
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Columns to drop first, by number; afterwards the last ones. The first column always stays. */
  readonly leastWorthy?: readonly number[]
  /** Shortens the cells of the last column, such as descriptions, as long as enough of it stays. */
  readonly shortensLast?: boolean
}

/** Formats a table no wider than the terminal: drops columns, because a line that wraps is harder to read. */
export function fittedTable(
  { columns }: Pick<Terminal, 'columns'>,
  { heads, rows, leastWorthy = [], shortensLast = false }: FittedTable,
): readonly string[] {
  const all = columnWidths([heads, ...rows])
  const rest = (columns ?? Number.POSITIVE_INFINITY) - lineWidth(all.slice(0, -1)) - 2
  const last = shortensLast && rest >= leastShortened ? Math.min(all.at(-1) ?? 0, rest) : (all.at(-1) ?? 0)
  const widths = [...all.slice(0, -1), last]
  const others = [...widths.keys()].filter((at) => at > 0 && !leastWorthy.includes(at)).toReversed()
  const shown = shownColumns(widths, { columns, order: [...leastWorthy, ...others] })
  const chosen = (row: readonly string[]) => shown.map((at) => row[at] ?? '')
  const chosenWidths = chosen(widths.map(String)).map(Number)
  return [heads, ...rows].map((row) => clipped(tableLine(chosen(row), chosenWidths), columns))
}

/** Numbers of the columns that fit, after dropping some in the given order. */
export function shownColumns(
  widths: readonly number[],
  {
    columns = Number.POSITIVE_INFINITY,
    order,
  }: { readonly columns: number | undefined; readonly order: readonly number[] },
): readonly number[] {
  let shown: readonly number[] = [...widths.keys()]
  for (const at of order) {
    if (lineWidth(shown.map((one) => widths[one] ?? 0)) <= columns) break
    shown = shown.filter((one) => one !== at)
  }
  return shown
}

/** Shortens a line to the width of the terminal; a last resort. */
export function clipped(line: string, columns: number | undefined): string {
  if (columns === undefined || textWidth(line) <= columns) return line
  let fitting = ''
  let width = 0
  for (const character of line) {
    width += textWidth(character)
    if (width > columns - 1) break
    fitting += character
  }
  return `${fitting}…`
}
