import compare from 'semver/functions/compare.js'
import satisfies from 'semver/functions/satisfies.js'
import minVersion from 'semver/ranges/min-version.js'
import validRange from 'semver/ranges/valid.js'

/** Negative when `one` is older than `other`, positive when it is newer, by semantic versioning. */
export function compareVersions(one: string, other: string): number {
  return compare(one, other)
}

/** For example `^1.2.0`. */
export function isRange(text: unknown): text is string {
  return typeof text === 'string' && validRange(text) !== null
}

/** A pre-release is in range if its release is. */
export function isInRange(version: string, range: string): boolean {
  return satisfies(version, range, { includePrerelease: true })
}

/** The lowest version in all these ranges; undefined when there is none. */
export function versionWithin(ranges: readonly string[]): string | undefined {
  const lowest = ranges.filter(isRange).map((range) => minVersion(range)?.version)
  return lowest.find((version) => version !== undefined && ranges.every((range) => isInRange(version, range)))
}
