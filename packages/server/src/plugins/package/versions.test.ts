import { expect, test } from 'vitest'
import { compareVersions, isInRange, isRange } from './versions.ts'

/** In ascending order. */
const ordered = [
  '0.9.9',
  '1.0.0-1',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1',
  '1.2.0',
  '1.10.0',
  '2.0.0-x-y.z',
  '2.0.0',
]

test('versions are compared by semantic versioning', () => {
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered)
})

test('build metadata is ignored', () => {
  expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0)
  expect(compareVersions('1.0.0-rc.1+a', '1.0.0-rc.1')).toBe(0)
})

test('ranges are recognized', () => {
  expect(['^1.0.0', '>=1.2 <3', '1.x', '*', '~2.1'].filter((text) => !isRange(text))).toEqual([])
  expect(['new', '^a', 1, undefined, { toString: () => '^1.0.0' }].filter(isRange)).toEqual([])
})

test('a pre-release is in the range of its release', () => {
  expect(isInRange('1.4.0', '^1.2.0')).toBe(true)
  expect(isInRange('1.4.0-rc.1', '^1.2.0')).toBe(true)
  expect(isInRange('2.0.0', '^1.2.0')).toBe(false)
  expect(isInRange('1.1.9', '^1.2.0')).toBe(false)
})
