import { expect, it } from 'vitest'
import type { Plugin } from '@pergola/api'
import { failureLine, levelOf, logoPath, percentIn, versionOf } from './plugin-object.ts'

const plugin = (spec: object, status?: object) =>
  ({
    metadata: { name: 'todo' },
    spec: { enabled: true, digest: 'sha256:abcdef0123456789', ...spec },
    status,
  }) as unknown as Plugin

it.each([
  ['runs', plugin({}, { phase: 'Started' }), 'ok'],
  ['was switched off', plugin({ enabled: false }, { phase: 'Started' }), 'idle'],
  ['failed', plugin({}, { phase: 'Failed' }), 'bad'],
  ['waits for its next start', plugin({}, { phase: 'NotStarted', reason: 'BackingOff' }), 'bad'],
  ['starts', plugin({}, { phase: 'Prepared' }), 'warn'],
  ['has no state yet', plugin({}), 'warn'],
  ['restarts', plugin({ restarts: 2 }, { phase: 'Started', replicas: [{ replica: 'a', restarts: 1 }] }), 'warn'],
])('a plugin that %s', (_, one, level) => {
  expect(levelOf(one)).toBe(level)
})

it.each([
  ['42 % done', 42],
  ['7% done', 7],
  ['done', undefined],
  [undefined, undefined],
])('the progress in "%s"', (message, percent) => {
  expect(percentIn(message)).toBe(percent)
})

it('finds the version of a package by its digest', () => {
  const one = plugin({ version: '2', previous: { version: '1', digest: 'sha256:1' } })
  expect([versionOf(one, one.spec.digest), versionOf(one, 'sha256:1'), versionOf(one, 'sha256:0')]).toEqual([
    '2',
    '1',
    undefined,
  ])
})

it('the address of a logo changes with the package', () => {
  expect(logoPath(plugin({ logo: 'logo.svg' }))).toBe('/plugins/todo/abcdef012345/logo.svg')
  expect(logoPath(plugin({}))).toBeUndefined()
})

it('a failure is named by its error, not by the lines of its stack', () => {
  expect(failureLine('it ended with code 1\nfile:///plugin.js:9\nTypeError: no todo\n    at start')).toBe('no todo')
  expect(failureLine('it waits for shop\nat 10:31')).toBe('it waits for shop')
})
