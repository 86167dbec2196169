import { cellText } from './cell-text.ts'

/** Prefixes cells that a spreadsheet would run as a formula with an apostrophe. */
function cell(value: unknown): string {
  const text = cellText(value, { yes: 'true', no: 'false' })
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value === 'string' ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows as CSV (RFC 4180). */
export function csvOf(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')
}
