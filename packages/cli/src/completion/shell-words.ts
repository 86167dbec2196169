/** Splits the text before the cursor as a shell does, without expanding anything. The last word may be empty. */
export function shellWords(line: string): readonly string[] {
  const words: string[] = ['']
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ''
    if (quote !== '') {
      if (character === quote) quote = ''
      else append(words, quote === '"' && character === '\\' ? (line[++at] ?? '') : character)
    } else if (character === '"' || character === "'") quote = character
    else if (character === '\\') append(words, line[++at] ?? '')
    else if (/\s/.test(character)) {
      if (words.at(-1) !== '' || /["']$/.test(line.slice(0, at))) words.push('')
    } else append(words, character)
  }
  return words
}

function append(words: string[], text: string): void {
  words.push((words.pop() ?? '') + text)
}
