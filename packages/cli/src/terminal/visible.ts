/** Objects may hold any text; what moves a cursor, or turns a line around, is shown and not done. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** One line, and no longer than so many characters. */
export function shortened(text: string, most: number): string {
  const [...characters] = visible(text)
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`
}

/** JSON as it can be shown: it leaves the upper control characters as they are, and a terminal may not. */
export function visibleJson(text: string): string {
  return text.replaceAll(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
