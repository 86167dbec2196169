/** The values at a path, each with its pointer; empty where the value is missing or null. */
export function valuesAtPath(object: unknown, path: string): readonly { pointer: string; value: unknown }[] {
  let found = object
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null || Array.isArray(found) || !Object.hasOwn(found, key)) return []
    found = (found as Record<string, unknown>)[key]
  }
  const pointer = `/${path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}`
  if (!Array.isArray(found)) return found === null || found === undefined ? [] : [{ pointer, value: found }]
  return found.flatMap((value: unknown, at) => (value === null ? [] : [{ pointer: `${pointer}/${at}`, value }]))
}
