import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginDefinition } from '@pergola/api'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { pluginPackage } from '../end-to-end/plugin-package.ts'
import { core } from './people.ts'
import { another, phaseIs, plugins } from './plugin.ts'
import { expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const variables = { KEY: randomBytes(32).toString('base64'), TOKEN: 'token from a variable' }
const directory = mkdtempSync(join(tmpdir(), 'pergola-directory-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Disables the plugins of earlier tests. */
function earlier(): Readonly<Record<string, boolean>> {
  return Object.fromEntries(Array.from({ length: count - 1 }, (_, at) => [`plugin-${at + 1}`, false]))
}

/** The section `plugins` of the configuration. */
let said: object = {}
let count = 0
let name = ''
beforeEach(() => {
  name = `plugin-${++count}`
  said = {}
})

const settings = {
  type: 'object',
  properties: {
    limit: { type: 'integer', maximum: 9 },
    greeting: { type: 'string' },
    token: { type: 'string', writeOnly: true },
  },
}

function put(file: string, version: string, change: Partial<PluginDefinition> = {}): string {
  const path = join(directory, file)
  writeFileSync(path, pluginPackage({ definition: another(name, change), version }))
  return path
}

onEachEngine(
  (api) => {
    const versionOf = async () => {
      const { body, status } = await api.request('GET', `${plugins}/${name}`)
      return status === 404 ? undefined : (body as { readonly spec: { readonly version: string } }).spec.version
    }
    /** Waits until every enabled plugin is started. */
    const settled = async () => {
      const { body } = await api.request('GET', plugins)
      const { items } = body as { items: { metadata: { name: string }; spec: { enabled: boolean } }[] }
      for (const { metadata, spec } of items) if (spec.enabled) await phaseIs(api, { phase: 'Started' }, metadata.name)
    }
    /** Restarts the server with these settings; returns what the start logs. */
    const start = async (more: { readonly enabled?: object; readonly [setting: string]: unknown } = {}) => {
      said = { directory, ...more, enabled: { ...earlier(), ...more.enabled } }
      await settled()
      const before = api.logged().length
      await api.restart()
      return api.logged().slice(before)
    }
    const object = async (plural: string) => {
      const answer = await api.request('GET', `${core}/${plural}/${name}-settings`)
      expectStatus(answer, 200)
      return answer.body as { readonly metadata: { readonly version: number }; readonly data: object }
    }

    describe('packages in plugins.directory', () => {
      test('C8-210 a package in plugins.directory is installed and started at server start', async () => {
        put(`${name}.tgz`, '1.0.0')
        writeFileSync(join(directory, 'read me.txt'), 'no package')
        await start()
        expect(await versionOf()).toBe('1.0.0')
        await phaseIs(api, { phase: 'Started' }, name)
      })

      test('C8-211 the newest package replaces an older installed version and never a newer one', async () => {
        put(`${name}-b.tgz`, '1.9.0')
        await start()
        expect(await versionOf()).toBe('1.9.0')
        put(`${name}-a.tgz`, '1.10.0')
        put(`${name}-c.tgz`, '1.10.0-rc.1')
        await start()
        await expect.poll(versionOf).toBe('1.10.0')
        rmSync(join(directory, `${name}-a.tgz`))
        await start()
        expect(await versionOf()).toBe('1.10.0')
      })

      test('C8-212 a package that fails is logged with file and reason, and does not affect others', async () => {
        put(`${name}.tgz`, '1.0.0')
        await start()
        const broken = join(directory, `${name}-0-broken.tgz`)
        writeFileSync(broken, 'no archive')
        const reserved = put(`${name}-2.tgz`, '2.0.0', { groups: ['mine.platform.run'] })
        const other = `${name}-other`
        writeFileSync(join(directory, `${name}-z.tgz`), pluginPackage({ definition: another(other) }))
        const log = await start()
        const lineOf = (file: string) => log.split('\n').find((line) => line.includes(JSON.stringify(file))) ?? ''
        expect(lineOf(broken)).toMatch(/"why":"[^"]*cannot be used: it is not a \.tgz archive/)
        expect(lineOf(reserved)).toMatch(/"why":".*mine\.platform\.run/)
        expect(await versionOf()).toBe('1.0.0')
        await phaseIs(api, { phase: 'Started' }, other)
        for (const file of [broken, reserved]) rmSync(file)
      })

      test('C8-213 a package that needs approval is skipped until plugins.approve contains it', async () => {
        const rule = { apiGroups: [''], resources: ['users'], verbs: ['get' as const] }
        put(`${name}.tgz`, '1.0.0', { permissions: [rule] })
        const log = await start()
        expect(await versionOf()).toBeUndefined()
        expect(log).toContain(`add to plugins.approve.${name}: [\\"get users\\"]`)
        await start({ approve: { [name]: ['get users'] } })
        expect(await versionOf()).toBe('1.0.0')
      })

      test('C8-214 plugins.enabled decides whether a plugin runs', async () => {
        put(`${name}.tgz`, '1.0.0')
        await start({ enabled: { [name]: false } })
        const { body } = await api.request('GET', `${plugins}/${name}`)
        expect(body).toMatchObject({ spec: { enabled: false } })
        await start({ enabled: { [name]: true } })
        await phaseIs(api, { phase: 'Started' }, name)
      })
    })

    describe('plugins.settings', () => {
      test('C8-215 plugins.settings are written to config map and secret, as values, from a file or from a variable', async () => {
        put(`${name}.tgz`, '1.0.0', { settings })
        const file = join(directory, 'greeting')
        writeFileSync(file, 'from a file\n')
        await start({ settings: { [name]: { limit: 3, greeting: { file }, token: { env: 'TOKEN' } } } })
        expect((await object('configmaps')).data).toEqual({ limit: 3, greeting: 'from a file' })
        expect((await object('secrets')).data).toEqual({ token: 'token from a variable' })
      })

      test('C8-216 plugins.settings are written only when they differ', async () => {
        put(`${name}.tgz`, '1.0.0', { settings })
        const given = { limit: 3, token: 'abc' }
        await start({ settings: { [name]: given } })
        await start({ settings: { [name]: given } })
        expect((await object('configmaps')).metadata.version).toBe(0)
        expect((await object('secrets')).metadata.version).toBe(0)
        await start({ settings: { [name]: { ...given, limit: 4 } } })
        expect(await object('configmaps')).toMatchObject({ metadata: { version: 1 }, data: { limit: 4 } })
        expect((await object('secrets')).metadata.version).toBe(0)
      })

      test('C8-217 invalid plugins.settings are logged, and the previous settings are kept', async () => {
        put(`${name}.tgz`, '1.0.0', { settings })
        await start({ settings: { [name]: { limit: 3 } } })
        const log = await start({ settings: { [name]: { limit: 10, token: 'hidden value' } } })
        expect(log).toMatch(new RegExp(`"plugin":"${name}","why":"[^"]*data\\.limit`))
        expect(log).not.toContain('hidden value')
        expect((await object('configmaps')).data).toEqual({ limit: 3 })
      })
    })
  },
  { variables, keepsLog: true, file: () => ({ secrets: { keys: [{ env: 'KEY' }] }, plugins: said }) },
)
