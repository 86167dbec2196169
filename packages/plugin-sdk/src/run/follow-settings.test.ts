import { randomBytes } from 'node:crypto'
import type { ApiObject } from '@pergola/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startSqliteServer, type SqliteServer } from '../../../../tests/client/server.ts'
import { sealingKey, type SealingKey } from '../../../server/src/config/sealing-keys.ts'
import { followSettings, type FollowedSettings } from './follow-settings.ts'

const key = sealingKey(randomBytes(32).toString('base64'))
let keys: readonly SealingKey[] = [key]
let server: SqliteServer
const stopping = new AbortController()
beforeAll(async () => {
  server = await startSqliteServer({}, () => keys)
})
afterAll(async () => {
  stopping.abort()
  await server[Symbol.asyncDispose]()
})

interface Kept extends ApiObject {
  readonly data: Readonly<Record<string, unknown>>
}

const kept = (plural: string) => server.client().resource<Kept>({ group: '', version: 'v1alpha1', plural })
const follow = (plugin: string): FollowedSettings =>
  followSettings({ plugin, client: server.client(), log: () => {}, signal: stopping.signal })
const become = (followed: FollowedSettings, values: object) =>
  vi.waitFor(() => expect(followed.source()).toEqual(values), { timeout: 60_000, interval: 20 })

test('settings combine the current ConfigMap and Secret, either of which may be missing', async () => {
  const [maps, secrets] = [kept('configmaps'), kept('secrets')]
  const followed = follow('one')
  await followed.ready
  expect(followed.source()).toEqual({})
  await maps.create({ metadata: { name: 'one-settings' }, data: { limit: 1 } })
  await become(followed, { limit: 1 })
  await secrets.create({ metadata: { name: 'one-settings' }, data: { token: 'a' } })
  await become(followed, { limit: 1, token: 'a' })
  await maps.patch('one-settings', { data: { limit: 2, list: ['x'] } })
  await secrets.patch('one-settings', { data: { token: 'b' } })
  await become(followed, { limit: 2, list: ['x'], token: 'b' })
  await maps.create({ metadata: { name: 'other-settings' }, data: { limit: 3 } })
  await secrets.delete('one-settings')
  await become(followed, { limit: 2, list: ['x'] })
})

test('settings follow changes after a restart of the host', async () => {
  const followed = follow('two')
  await kept('secrets').create({ metadata: { name: 'two-settings' }, data: { token: 'a' } })
  await become(followed, { token: 'a' })
  await server.stop()
  expect(followed.source()).toEqual({ token: 'a' })
  await server.start()
  await kept('secrets').patch('two-settings', { data: { token: 'b' } })
  await become(followed, { token: 'b' })
})

test('reading settings throws while the host cannot decrypt a secret, and works once it can', async () => {
  await kept('secrets').create({ metadata: { name: 'three-settings' }, data: { token: 'a' } })
  await server.stop()
  keys = []
  await server.start()
  const followed = follow('three')
  await vi.waitFor(() => expect(() => followed.source()).toThrow(/are not loaded yet: .*secrets\.keys/), {
    timeout: 60_000,
  })
  await server.stop()
  keys = [key]
  await server.start()
  await become(followed, { token: 'a' })
})
