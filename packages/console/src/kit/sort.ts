export type Direction = 'asc' | 'desc'

/** Sort direction of a field in `name,asc`. */
export function sortOf(sort: readonly string[], by: string): Direction | undefined {
  const found = sort.find((one) => one.split(',')[0] === by)
  if (found === undefined) return undefined
  return found.endsWith(',desc') ? 'desc' : 'asc'
}

/** Cycles ascending, descending, unsorted; with `isAdded`, keeps the other sort fields. */
export function nextSort(sort: readonly string[], by: string, isAdded: boolean): readonly string[] {
  const was = sortOf(sort, by)
  const next = was === undefined ? [`${by},asc`] : was === 'asc' ? [`${by},desc`] : []
  return isAdded ? [...sort.filter((one) => one.split(',')[0] !== by), ...next] : next
}
