import { cloneJson } from '../../../base/clone-json.ts'
import { isJsonObject } from '../../../base/json-object.ts'

/**
 * RFC 7386: an object changes the keys it names, null removes a key, and any other value replaces the target. The result shares
 * nothing with target or patch, and nests no deeper than the deeper of the two.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return cloneJson(patch)
  const before = isJsonObject(target) ? target : {}
  const kept = Object.entries(before)
    .filter(([key]) => !Object.hasOwn(patch, key) || patch[key] !== null)
    .map(([key, value]) => [key, Object.hasOwn(patch, key) ? mergePatch(value, patch[key]) : cloneJson(value)] as const)
  const added = Object.entries(patch)
    .filter(([key, value]) => value !== null && !Object.hasOwn(before, key))
    .map(([key, value]) => [key, mergePatch(undefined, value)] as const)
  // Unlike an assignment, this creates an own property even for a key such as __proto__.
  return Object.fromEntries([...kept, ...added])
}
