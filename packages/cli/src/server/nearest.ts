const mostShown = 3

/** Names similar to a mistyped one, nearest first. */
export function nearestOf(typed: string, names: readonly string[]): readonly string[] {
  const most = typed.length <= 3 ? 1 : 2
  return names
    .map((name) => ({ name, distance: name.startsWith(typed) ? 1 : distanceOf(typed, name) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, other) => one.distance - other.distance || one.name.localeCompare(other.name))
    .slice(0, mostShown)
    .map(({ name }) => name)
}

/** Edit distance: insertions, deletions, substitutions and transpositions. */
function distanceOf(one: string, other: string): number {
  let before: readonly number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [row, letter] of one.split('').entries()) {
    const next = [row + 1]
    for (const [column, otherLetter] of other.split('').entries()) {
      const isSame = letter === otherLetter
      const isSwapped = row > 0 && column > 0 && letter === other[column - 1] && one[row - 1] === otherLetter
      next.push(
        Math.min(
          (last[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
          (last[column] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = last
    last = next
  }
  return last.at(-1) ?? 0
}
