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

/** Those of other tests need not run. */
function earlier(): Readonly<Record<string, boolean>> {
  return Object.fromEntries(Array.from({ length: count - 1 }, (_, at) => [`plugin-${at + 1}`, false]))
}

/** What the configuration says of plugins. */
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
    /** Until nothing is being started any more. */
    const settled = async () => {
      const { body } = await api.request('GET', plugins)
      const { items } = body as { items: { metadata: { name: string }; spec: { enabled: boolean } }[] }
      for (const { metadata, spec } of items) if (spec.enabled) await phaseIs(api, { phase: 'Started' }, metadata.name)
    }
    /** What a start logs. */
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
      test('C8-210 are installed at the start, and run', async () => {
        put(`${name}.tgz`, '1.0.0')
        writeFileSync(join(directory, 'read me.txt'), 'no package')
        await start()
        expect(await versionOf()).toBe('1.0.0')
        await phaseIs(api, { phase: 'Started' }, name)
      })

      test('C8-211 take the place of an older version, the newest of several, and never of a newer one', async () => {
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

      test('C8-212 that fail are logged with file and reason, and leave what runs and all others', async () => {
        put(`${name}.tgz`, '1.0.0')
        await start()
        const broken = join(directory, `${name}-0-broken.tgz`)
        writeFileSync(broken, 'no archive')
        const reserved = put(`${name}-2.tgz`, '2.0.0', { groups: ['mine.platform.run'] })
        const other = `${name}-other`
        writeFileSync(join(directory, `${name}-z.tgz`), pluginPackage({ definition: another(other) }))
        const log = await start()
        const lineOf = (file: string) => log.split('\n').find((line) => line.includes(JSON.stringify(file))) ?? ''
        expect(lineOf(broken)).toMatch(/"why":"[^"]*cannot be used: it is no archive/)
        expect(lineOf(reserved)).toMatch(/"why":".*mine\.platform\.run/)
        expect(await versionOf()).toBe('1.0.0')
        await phaseIs(api, { phase: 'Started' }, other)
        for (const file of [broken, reserved]) rmSync(file)
      })

      test('C8-213 that need approval are passed over, with what to add; plugins.approve gives it', async () => {
        const rule = { apiGroups: [''], resources: ['users'], verbs: ['get' as const] }
        put(`${name}.tgz`, '1.0.0', { permissions: [rule] })
        const log = await start()
        expect(await versionOf()).toBeUndefined()
        expect(log).toContain(`add to plugins.approve.${name}: [\\"get users\\"]`)
        await start({ approve: { [name]: ['get users'] } })
        expect(await versionOf()).toBe('1.0.0')
      })

      test('C8-214 run or do not run by plugins.enabled', async () => {
        put(`${name}.tgz`, '1.0.0')
        await start({ enabled: { [name]: false } })
        const { body } = await api.request('GET', `${plugins}/${name}`)
        expect(body).toMatchObject({ spec: { enabled: false } })
        await start({ enabled: { [name]: true } })
        await phaseIs(api, { phase: 'Started' }, name)
      })
    })

    describe('plugins.settings', () => {
      test('C8-215 are written where they belong, each value as it is, from a file or from a variable', async () => {
        put(`${name}.tgz`, '1.0.0', { settings })
        const file = join(directory, 'greeting')
        writeFileSync(file, 'from a file\n')
        await start({ settings: { [name]: { limit: 3, greeting: { file }, token: { env: 'TOKEN' } } } })
        expect((await object('configmaps')).data).toEqual({ limit: 3, greeting: 'from a file' })
        expect((await object('secrets')).data).toEqual({ token: 'token from a variable' })
      })

      test('C8-216 are written only where they are different', async () => {
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

      test('C8-217 that are not as the plugin says are logged, and what was set before stays', async () => {
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
