import type { Plugin } from '@pergola/api'
import { expect, test } from 'vitest'
import { progressOf } from './install-steps.ts'

const version = (digest: string) => ({ version: digest, digest, groups: [], permissions: [] })
const plugin = (spec: object, status: object = {}) =>
  ({
    metadata: { name: 'todo' },
    spec: { enabled: true, ...version('new'), ...spec },
    status,
  }) as unknown as Plugin
const started = { phase: 'Started', replicas: [{ replica: 'a', digest: 'new', phase: 'Started' }] }
const old = { ...version('old'), candidate: version('new') }

const cases: readonly (readonly [string, Plugin | undefined, boolean, string | undefined, string])[] = [
  ['nothing is known yet', undefined, false, 'installed', 'under-way'],
  ['it is stored and starts', plugin({}), false, 'running', 'under-way'],
  ['it runs', plugin({}, started), false, undefined, 'done'],
  ['it crashes', plugin({}, { ...started, phase: 'NotStarted', reason: 'BackingOff' }), false, 'running', 'failed'],
  ['the state of the version before does not count', plugin({}, { phase: 'Started' }), false, 'running', 'under-way'],
  ['the new version starts beside the old one', plugin(old), true, 'beside', 'under-way'],
  [
    'the new version is started everywhere',
    plugin(old, { replicas: [{ replica: 'a', digest: 'new', phase: 'Prepared' }] }),
    true,
    'prepared',
    'under-way',
  ],
  ['requests move', plugin({}, { ...started, phase: 'NotStarted' }), true, 'moved', 'under-way'],
  ['the upgrade is over', plugin({}, started), true, undefined, 'done'],
  ['a disabled plugin is replaced at once', plugin({ enabled: false }), true, undefined, 'done'],
  [
    'the upgrade failed',
    plugin(version('old'), { phase: 'Started', upgrade: { phase: 'Failed', from: 'old', to: 'new' } }),
    true,
    'beside',
    'failed',
  ],
  [
    'an earlier failure does not end a new upgrade',
    plugin(old, { phase: 'Started', upgrade: { phase: 'Failed', from: 'old', to: 'new' } }),
    true,
    'beside',
    'under-way',
  ],
]

test.each(cases)('%s', (_, object, isUpgrade, now, outcome) => {
  const progress = progressOf(object, 'new', isUpgrade)
  expect(progress.steps.find(({ state }) => state === 'now')?.key).toBe(now)
  expect(progress.outcome).toBe(outcome)
})

test('a step shows how far the indexes are', () => {
  const building = plugin({}, { reason: 'BuildingIndexes', message: 'words: 42 %' })
  expect(progressOf(building, 'new', false).steps.at(-1)).toEqual({ key: 'running', state: 'now', percent: 42 })
})
