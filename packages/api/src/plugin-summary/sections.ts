/** A heading with its lines, for terminals. */
export interface Section {
  readonly heading: string
  readonly lines: readonly string[]
}

/** Renders headings in a left column and lines in a right column, indented by two spaces. */
export function renderSections(sections: readonly Section[]): string {
  const width = Math.max(0, ...sections.map(({ heading }) => heading.length))
  const lines = sections.flatMap(({ heading, lines: said }) =>
    said.map((line, at) => `  ${(at === 0 ? heading : '').padEnd(width)}  ${line}`),
  )
  return lines.join('\n')
}

/** Returns no section when there are no lines. */
export function sectionOf(heading: string, lines: readonly string[]): readonly Section[] {
  return lines.length === 0 ? [] : [{ heading, lines: [...new Set(lines)].map(visible) }]
}

/**
 * Escapes control and formatting characters. A malicious package could otherwise move the cursor or reverse text, and so
 * falsify its own description.
 */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
