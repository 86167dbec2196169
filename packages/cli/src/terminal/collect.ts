/** Collects the values of a repeatable option. */
export function collect(word: string, before: readonly string[] = []): readonly string[] {
  return [...before, word]
}
