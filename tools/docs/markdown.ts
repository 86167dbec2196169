/** A Markdown table; `numbersFrom` is the first of the columns aligned to the right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbersFrom: number = head.length,
): string {
  const rule = head.map((_, at) => (at < numbersFrom ? '---' : '---:'))
  return [row(head), row(rule), ...rows.map(row)].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

export function asCode(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ')
}

/** Code in a cell of a table, where a bar would end the cell. */
export function codeCell(text: string): string {
  return `\`${text.replaceAll('|', String.raw`\|`)}\``
}

/** Escapes tags and cell separators. */
export function plainText(words: string): string {
  return words.replaceAll(/[<|]/g, String.raw`\$&`)
}
