/** A heading, and what stands under it: a part of a text for people, wherever it is shown. */
export interface Section {
  readonly heading: string
  readonly lines: readonly string[]
}

/** Headings to the left, lines to the right of them; two spaces before everything. */
export function renderSections(sections: readonly Section[]): string {
  const width = Math.max(0, ...sections.map(({ heading }) => heading.length))
  const lines = sections.flatMap(({ heading, lines: said }) =>
    said.map((line, at) => `  ${(at === 0 ? heading : '').padEnd(width)}  ${line}`),
  )
  return lines.join('\n')
}

/** A section only where there is something to say. */
export function sectionOf(heading: string, lines: readonly string[]): readonly Section[] {
  return lines.length === 0 ? [] : [{ heading, lines: [...new Set(lines)].map(visible) }]
}

/** A package may hold any text. What moves a cursor, or turns a line around, would let it rewrite what is said of it. */
function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
