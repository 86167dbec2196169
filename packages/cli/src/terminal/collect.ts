/** For an option that may be given again. */
export function collect(word: string, before: readonly string[] = []): readonly string[] {
  return [...before, word]
}
