import { isJsonObject } from './json-object.ts'

/**
 * Whether two JSON values are equal. The order of keys does not matter, that of items does; -0 is 0. The recursion depth is
 * that of the shallower value.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => deepEqual(item, b[at]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
  )
}
