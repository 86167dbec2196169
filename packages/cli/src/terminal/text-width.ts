/** Characters that are two columns wide: East Asian wide forms and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Width of a text in terminal columns. */
export function textWidth(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}
