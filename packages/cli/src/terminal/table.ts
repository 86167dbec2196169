import { padded, textWidth } from './text-width.ts'

/** Formats a table whose columns fit their content. */
export function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = columnWidths([heads, ...rows])
  return [heads, ...rows].map((row) => tableLine(row, widths))
}

export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(row[column] ?? '')), 0),
  )
}

/** The width of a full row, with its indentation. */
export function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + 2 + width, 0)
}

/** Formats a row. A cell wider than its column shifts the rest of the line. */
export function tableLine(row: readonly string[], widths: readonly number[]): string {
  return `  ${row.map((cell, column) => padded(cell, widths[column] ?? 0)).join('  ')}`.trimEnd()
}
