/** The known word that a mistyped one most likely meant: at most two letters apart, or a third of them. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, candidate.length / 3))
    .toSorted((a, b) => a.distance - b.distance)
  return best?.candidate
}

/** Levenshtein distance: insertions, deletions and replacements, row by row. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(to).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
