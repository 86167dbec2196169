import { editDistance } from '@pergola/api'

const mostShown = 3

/** Names similar to a mistyped one, nearest first. */
export function nearestOf(typed: string, names: readonly string[]): readonly string[] {
  const most = typed.length <= 3 ? 1 : 2
  return names
    .map((name) => ({ name, distance: name.startsWith(typed) ? 1 : editDistance(typed, name) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, other) => one.distance - other.distance || one.name.localeCompare(other.name))
    .slice(0, mostShown)
    .map(({ name }) => name)
}
