import { expect, test } from 'vitest'
import { pluginText, startedReplicas } from './show.ts'

test('a plugin is shown with its versions, replicas and schedules', () => {
  const version = { version: '1.0.0', digest: 'sha256:aa', groups: ['todo.example.com'], permissions: [] }
  const metadata = { name: 'todo', uid: 'u', version: 1, generation: 1, creationTimestamp: '2030-01-01T00:00:00Z' }
  const use = {
    memoryBytes: 50 * 2 ** 20,
    cpu: 0.031,
    exits: 2,
    openRequests: 1,
    requestsPerSecond: 4.25,
    answerMs: 12.4,
  }
  const east = { version: '1.0.0', startedAt: '', feedLagMs: 0, leases: [], plugins: {}, uses: { todo: use } }
  const plugin: Parameters<typeof pluginText>[0] = {
    apiVersion: 'plugin.platform.run/v1alpha1',
    kind: 'Plugin',
    metadata,
    spec: {
      ...version,
      displayName: 'Todos',
      enabled: true,
      dependencies: { notes: '^1.0.0' },
      candidate: { ...version, version: '1.1.0', digest: 'sha256:bb', adds: [] },
      previous: { ...version, version: '0.9.0' },
    },
    status: {
      phase: 'NotStarted',
      reason: 'BackingOff',
      message: 'it ended with 1\n\u001b[2Jgone\n\tat f',
      replicas: [
        { replica: 'r-1', digest: 'sha256:aa', phase: 'Started' },
        { replica: 'r-1', digest: 'sha256:bb', phase: 'Prepared' },
      ],
      upgrade: { from: '1.0.0', to: '1.1.0', phase: 'Failed', message: 'it ended:\n\tError: no' },
      schedules: [{ name: 'tidy', lastRun: '2030-01-01T00:00:00', lastError: 'no', nextRun: '2030-01-02T00:00:00' }],
    },
  }
  const text = pluginText(plugin, [{ id: 'r-1', name: 'east', ...east }])
  expect(text.split('\n')).toEqual([
    '  plugin     todo, Todos',
    '  version    1.0.0  sha256:aa',
    '  state      NotStarted (BackingOff)',
    '             it ended with 1',
    String.raw`             \u{1b}[2Jgone`,
    '                 at f',
    '  replicas   east  Started  50 MiB, 3 % of a CPU, 1 open, 4.3 requests/s in 12 ms, exited 2 times',
    '             east  Prepared  (different version)',
    '  upgrade    1.0.0 -> 1.1.0  Failed',
    '             it ended:',
    '                 Error: no',
    '  candidate  1.1.0',
    '  previous   0.9.0, for pergola plugin rollback todo',
    '  groups     todo.example.com',
    '  requires   notes ^1.0.0',
    '  schedules  tidy  last run 2030-01-01 00:00 failed: no  next run 2030-01-02 00:00',
  ])
})

test('a plugin without a status is shown as Disabled, or as NotStarted when it is enabled', () => {
  const metadata = { name: 'todo', uid: 'u', version: 1, generation: 1, creationTimestamp: '2030-01-01T00:00:00Z' }
  const spec = { version: '1.0.0', digest: 'sha256:aa', groups: [], permissions: [], enabled: false }
  const plugin = { apiVersion: 'plugin.platform.run/v1alpha1', kind: 'Plugin', metadata, spec }
  expect(pluginText(plugin)).toContain('  state    Disabled')
  expect(pluginText({ ...plugin, spec: { ...spec, enabled: true } })).toContain('  state    NotStarted')
})

test('missing details of a plugin are omitted', () => {
  const metadata = { name: 'todo', uid: 'u', version: 1, generation: 1, creationTimestamp: '2030-01-01T00:00:00Z' }
  const text = pluginText({
    apiVersion: 'plugin.platform.run/v1alpha1',
    kind: 'Plugin',
    metadata,
    spec: { version: '1.0.0', digest: 'sha256:aa', groups: [], permissions: [], enabled: true },
    status: {
      upgrade: { from: '1.0.0', to: '1.1.0', phase: 'Failed' },
      schedules: [{ name: 'tidy' }, { name: 'mow', lastRun: '2030-01-01T00:00:00' }],
    },
  })
  expect(text.split('\n')).toEqual([
    '  plugin     todo',
    '  version    1.0.0  sha256:aa',
    '  state      NotStarted',
    '  upgrade    1.0.0 -> 1.1.0  Failed',
    '  schedules  tidy',
    '             mow  last run 2030-01-01 00:00',
  ])
})

test('replicas are counted by the active version', () => {
  const replicas = [
    { replica: 'r-1', digest: 'sha256:bb', phase: 'Prepared' },
    { replica: 'r-1', digest: 'sha256:aa', phase: 'Started' },
    { replica: 'r-2', digest: 'sha256:aa', phase: 'NotStarted' },
  ] as const
  expect(startedReplicas({ spec: { digest: 'sha256:aa' }, status: { replicas } })).toBe('1 of 2')
  expect(startedReplicas({ spec: { digest: 'sha256:aa' } })).toBe('')
})
