import { beforeEach, describe, expect, test } from 'vitest'
import { pluginPackage } from '../end-to-end/plugin-package.ts'
import { expectSoon } from './people.ts'
import { another, enable, installPackage, phaseIs, plugins } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

/** The shipped packages and the section `plugins` of the configuration at the next start. */
let shipped: readonly Buffer[] = []
let said: object = {}
let count = 0
let name = ''
let group = ''
beforeEach(() => {
  name = `ours-${++count}`
  group = `ours${count}.platform.run`
  shipped = []
  said = {}
})

/** A shipped package, with rights that any other package would need approval for. */
function ours(version = '1.0.0'): Buffer {
  const role = {
    apiVersion: 'v1alpha1',
    kind: 'Role',
    metadata: {
      name: `${name}-things`,
      labels: {
        'platform.run/role-template': 'true',
        'rbac.authorization.platform.run/aggregate-to-anonymous': 'true',
      },
    },
    rules: [{ apiGroups: [group], resources: ['things'], verbs: ['list'] }],
  }
  const versions = [{ name: 'v1', schema: { properties: { spec: { type: 'object' as const } } } }]
  const model = { group, kind: 'Thing', singular: 'thing', plural: 'things', versions, check: false }
  const definition = another(name, { groups: [group], models: [model] })
  return pluginPackage({ definition, version, files: { 'extensions/roles.yaml': JSON.stringify(role) } })
}

onEachEngine(
  (api) => {
    const things = () => `/apis/${group}/v1/things`
    const spec = async () => {
      const { body } = await api.request('GET', `${plugins}/${name}`)
      return (body as { readonly spec: Readonly<Record<string, unknown>> }).spec
    }
    const start = async (...packages: readonly Buffer[]) => {
      shipped = packages
      await api.restart()
    }

    test('C1-43 only a package that ships with the host, identified by its digest, may use reserved groups', async () => {
      const known = ours()
      await start(known)
      await enable(api, name)
      expectStatus(await api.request('POST', things(), { body: { metadata: { name: 'a' } } }), 201)
      expectStatus(await installPackage(api, known), 200)
      const same = ours('1.0.1')
      const refused = await installPackage(api, same)
      expectProblem(refused, 422, 'Invalid')
      expect(refused.text).toContain(group)
      expect(await spec()).toMatchObject({ version: '1.0.0' })
    })

    test('C8-350 a shipped plugin is installed, disabled and approved, until it is enabled', async () => {
      await start(ours())
      expect(await spec()).toMatchObject({ enabled: false, version: '1.0.0', groups: [group] })
      await expectSoon(async () => expectProblem(await api.request('GET', things()), 503, 'PluginNotStarted'))
      said = { enabled: { [name]: true } }
      await start(...shipped)
      await phaseIs(api, { phase: 'Started' }, name)
      await expectSoon(async () => expectStatus(await api.request('GET', things(), { as: 'anonymous' }), 200))
    })

    test('C8-351 a package with the name of a shipped plugin is 422', async () => {
      await start(ours())
      const definition = another(name, { groups: ['others.example.com'] })
      const refused = await installPackage(api, pluginPackage({ definition, version: '9.0.0' }))
      expectProblem(refused, 422, 'Invalid')
      expect(refused.text).toContain('comes with the host')
    })

    describe('at a start', () => {
      test('C8-352 a newer shipped version replaces the installed one, and an older one does not', async () => {
        const [first, second] = [ours('1.0.0'), ours('1.1.0')]
        await start(first)
        await enable(api, name)
        await start(second)
        await expect.poll(spec).toMatchObject({ version: '1.1.0', enabled: true })
        await phaseIs(api, { phase: 'Started' }, name)
        await start(first)
        expect(await spec()).toMatchObject({ version: '1.1.0' })
        expect(await spec()).not.toHaveProperty('candidate')
      })

      test('C8-353 an uninstalled shipped plugin is installed again at start, disabled, with its data', async () => {
        await start(ours())
        await enable(api, name)
        expectStatus(await api.request('POST', things(), { body: { metadata: { name: 'kept' } } }), 201)
        const removal = `/apis/console.api.platform.run/v1alpha1/plugins/${name}/uninstall`
        expectStatus(await api.request('POST', removal), 200)
        await phaseIs(api, { phase: 'Disabled', reason: 'Uninstalled' }, name)
        await start(...shipped)
        expect(await spec()).toMatchObject({ enabled: false })
        await enable(api, name)
        expectStatus(await api.request('GET', `${things()}/kept`), 200)
      })

      test('C8-354 a shipped plugin whose name another plugin has is skipped', async () => {
        const groups = [`${name}.example.com`]
        expectStatus(await installPackage(api, pluginPackage({ definition: another(name, { groups }) })), 201)
        await start(ours('2.0.0'))
        expect(await spec()).toMatchObject({ version: '1.0.0', groups })
        expect(api.logged()).toContain(`"plugin":"${name}"`)
      })
    })
  },
  { keepsLog: true, file: () => ({ plugins: said }), shipped: async () => shipped },
)
