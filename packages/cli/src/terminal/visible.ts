/** Escapes control and formatting characters, which could move the cursor or reverse text. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** The styles of `Paint`. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const styles = /(\u001b\[(?:1|2|22|31|32|33|39)m)/

/** Like `visible`, but keeps line breaks, tabs, joiners in words, and the styles of this program. */
export function visibleLines(lines: string): string {
  return lines
    .split(styles)
    .map((part, at) => (at % 2 === 0 ? part.replaceAll(/[^\n\t\u00ad\u200c\u200d]+/g, visible) : part))
    .join('')
}

/** Escapes a text and shortens it to `most` characters. */
export function shortened(text: string, most: number): string {
  const [...characters] = visible(text)
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`
}

/** Escapes control characters that JSON does not escape and a terminal may interpret. */
export function visibleJson(text: string): string {
  return text.replaceAll(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
