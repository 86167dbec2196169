import compare from 'semver/functions/compare.js'
import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'

/** Below 0 when `one` is older than `other`, above when it is newer, by the order of semantic versions. */
export function compareVersions(one: string, other: string): number {
  return compare(one, other)
}

/** Such as `^1.2.0`. */
export function isRange(text: unknown): text is string {
  return typeof text === 'string' && validRange(text) !== null
}

/** What leads to a release fits where the release does. */
export function isInRange(version: string, range: string): boolean {
  return satisfies(version, range, { includePrerelease: true })
}
