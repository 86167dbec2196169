import type { Plugin } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import {
  certificateFinding,
  clockFinding,
  modelFindings,
  detailsFinding,
  pluginFindings,
  readinessFindings,
  versionFinding,
} from './checks.ts'

const ready = `[ok]     accepting   requests, by version 1.2.0, replica web-1
[ok]     database    SQLite pergola.db
[failed] plugins     still starting (plugins.startGrace)
not ready: plugins
`

test('the checks of /readyz become findings, with advice for those that failed', () => {
  expect(readinessFindings(ready)).toMatchObject([
    { level: 'ok', name: 'accepting', words: 'requests, by version 1.2.0, replica web-1' },
    { level: 'ok', name: 'database', words: 'SQLite pergola.db' },
    { level: 'failed', name: 'plugins', advice: expect.stringContaining('pergola plugin list') as string },
  ])
  expect(readinessFindings('[ok]     accepting\nready\n')).toEqual([{ level: 'ok', name: 'accepting', words: 'ok' }])
  expect(readinessFindings('<html>')).toEqual([])
  const shared = '[ok]     plugins     isolated from crashes only, not from each other (plugins.isolation)'
  expect(readinessFindings(shared)).toMatchObject([
    { level: 'warn', advice: expect.stringMatching(/^run .* as root/) as string },
  ])
  const asRoot = shared.replace(' (plugins', ', and running as root (plugins')
  expect(readinessFindings(asRoot)).toMatchObject([{ level: 'warn', advice: expect.stringMatching(/^set /) as string }])
  const keyless = '[ok]     secrets     1 secret needs the key 6a7aee6c; not in secrets.keys (keys here: none)'
  expect(readinessFindings(keyless)).toMatchObject([
    { level: 'failed', advice: expect.stringContaining('pergola secrets keys') as string },
  ])
  const polling =
    '[ok]     database    PostgreSQL db:6432/app, schema 8, changes by polling, because no notifications arrive'
  expect(readinessFindings(polling)).toMatchObject([
    { level: 'warn', advice: expect.stringContaining('database.directUrl') as string },
  ])
  const byNats = '[ok]     feed        by NATS, and this replica carries the log there'
  expect(readinessFindings(byNats)).toMatchObject([{ level: 'ok', words: expect.stringMatching(/^by NATS/) as string }])
  const byLog = '[ok]     feed        NATS does not deliver every change; changes are read from the database'
  expect(readinessFindings(byLog)).toMatchObject([
    { level: 'warn', advice: expect.stringContaining('feed.natsUrl') as string },
  ])
})

test.each([
  ['the disk of the database is full', /^free space/],
  ['the database is read-only', /SQLite file/],
  ['the database has schema 12, for servers with schema 11 or later; this server has 9', /^upgrade this server/],
  ['the database cannot be reached', /PostgreSQL: .* SQLite: /],
])('the advice for "%s" fits', (detail, advice) =>
  expect(readinessFindings(`[failed] database    ${detail}`)).toMatchObject([
    { level: 'failed', words: detail, advice: expect.stringMatching(advice) as string },
  ]),
)
test('missing details are reported with the right to ask for', () => {
  const advice = expect.stringContaining('get on /readyz/verbose') as string
  expect(detailsFinding('[ok]     accepting\n[ok]     database\nready\n')).toMatchObject({ level: 'warn', advice })
  expect(detailsFinding(ready)).toBeUndefined()
  // While the database is down, nobody gets details.
  expect(detailsFinding('[ok]     accepting\n[failed] database\nnot ready: database\n')).toBeUndefined()
})

describe('the version of the server', () => {
  test.each([
    ['the same', '1.2.0', 'ok'],
    ['a newer one', '1.1.0', 'warn'],
    ['an older major version', '2.0.0', 'failed'],
  ])('is %s', (_what, own, level) => expect(versionFinding(ready, own)).toMatchObject({ level }))
  test('is absent when the server does not report it', () =>
    expect(versionFinding('[ok]     accepting\n', '1.2.0')).toBeUndefined())
})

describe('clocks', () => {
  const at = 1_900_000_000_000
  test.each([
    ['that agree', 0, 'ok', /same/],
    ['that agree within the one-second resolution of a date', -999, 'ok', /same/],
    ['with the server a minute ahead', 62_000, 'warn', /^1m ahead of/],
    ['with the server ten minutes behind', -602_000, 'failed', /^10m behind/],
  ])('%s', (_what, apart, level, words) => {
    const finding = clockFinding({ serverMs: at + apart, sentMs: at, answeredMs: at + 100 })
    expect(finding).toMatchObject({ level, words: expect.stringMatching(words) as string })
  })
  test('without a date from the server', () =>
    expect(clockFinding({ serverMs: Number.NaN, sentMs: at, answeredMs: at })).toMatchObject({ level: 'warn' }))
})

test.each([
  ['expires in a year', 365, 'ok'],
  ['expires in ten days', 10, 'warn'],
  ['has expired', -1, 'failed'],
])('a certificate that %s', (_what, days, level) =>
  expect(certificateFinding(1_900_000_000_000 + days * 86_400_000, 1_900_000_000_000, 'openssl')).toMatchObject({
    level,
  }),
)

describe('plugins', () => {
  const plugin = (enabled: boolean, status: object) =>
    ({ metadata: { name: 'todo' }, spec: { version: '1.0.0', enabled }, status }) as unknown as Plugin
  test.each([
    ['that run', plugin(true, { phase: 'Started' }), 'ok', /1 of 1 plugins run/],
    ['that are disabled', plugin(false, { phase: 'Disabled' }), 'ok', /0 of 1 plugins run/],
    ['that wait', plugin(true, { phase: 'NotStarted', reason: 'BuildingIndexes', message: '4 %' }), 'warn', /4 %/],
    ['that crash repeatedly', plugin(true, { phase: 'NotStarted', reason: 'BackingOff' }), 'failed', /BackingOff/],
    ['that failed', plugin(true, { phase: 'Failed', message: 'it ended' }), 'failed', /1.0.0 is Failed: it ended/],
  ])('%s', (_what, one, level, words) =>
    expect(pluginFindings([one])).toMatchObject([{ level, words: expect.stringMatching(words) as string }]),
  )
})

describe('models', () => {
  const model = (status: object) => ({
    metadata: { name: 'todos-abc' },
    spec: { group: 'todo.example.com', plural: 'todos' },
    status,
  })
  test('that are ready are not reported', () => expect(modelFindings([model({ phase: 'Ready' })])).toEqual([]))
  test('whose indexes are being built are warnings', () =>
    expect(modelFindings([model({ phase: 'Building' })])).toMatchObject([{ level: 'warn', words: 'is Building' }]))
  test('with duplicates in a unique index are failures that name two objects', () => {
    const pairs = [{ value: '5', first: 't10', second: 't20' }]
    const found = modelFindings([model({ phase: 'DuplicateValues', duplicates: { index: 'spec.n', pairs } })])
    const words = 'spec.n cannot become unique: "t10" and "t20" have the same value, 5'
    expect(found).toMatchObject([{ level: 'failed', name: 'model todos', words }])
  })
})
