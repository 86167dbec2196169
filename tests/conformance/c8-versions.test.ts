import { renderPlan, type ModelDeclaration, type Plan, type PluginDefinition } from '@pergola/api'
import { describe, expect, test, vi } from 'vitest'
import { pluginPackage, todoDefinition, type PluginFiles } from '../end-to-end/plugin-package.ts'
import { another, install, notesOf, notesPath, phaseIs, plugins, todoGroup, todos } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine, type Api } from './server.ts'

/** Install, upgrade, rollback and uninstall. Each test ends with the first version running. */
const console_ = '/apis/console.api.platform.run/v1alpha1/plugins'
const models = '/apis/plugin.platform.run/v1alpha1/models'
const echo = `/apis/api.${todoGroup}/v1alpha1/echo`
const [todo] = todoDefinition.models as readonly [ModelDeclaration]

const role = (name: string) => `
apiVersion: v1alpha1
kind: Role
metadata: { name: ${name}, labels: { platform.run/role-template: "true" } }
rules: [{ apiGroups: [${todoGroup}], resources: [todos], verbs: [get] }]
`
const says = (version: string) => `(request, response) => response.end('{"version":"${version}"}')`
const first: PluginFiles = {
  answer: says('1'),
  files: { 'extensions/roles.yaml': `${role('todo-old')}---${role('todo-both')}` },
}
const second: PluginFiles = {
  version: '2.0.0',
  answer: says('2'),
  words: 'upper',
  files: { 'extensions/roles.yaml': `${role('todo-new')}---${role('todo-both')}` },
  definition: {
    ...todoDefinition,
    models: [{ ...todo, indexes: [{ name: 'words', evaluated: 'multi', revision: 2 }, { name: 'spec.title' }] }],
  },
}

onEachEngine((api) => {
  const started = once(async () => {
    expectStatus(await install(api, first), 201)
    await phaseIs(api, { phase: 'Started' })
    for (const title of ['Buy milk', 'Sell milk']) {
      const name = title.split(' ')[0]?.toLowerCase() ?? ''
      expectStatus(await api.request('POST', todos, { body: { metadata: { name }, spec: { title } } }), 201)
    }
  })
  const found = async (selector: string) => {
    const { body } = await api.request('GET', `${todos}?fieldSelector=${encodeURIComponent(selector)}`)
    return (body as { readonly items?: readonly unknown[] }).items?.length
  }
  const create = (plugin: string, title: string) =>
    api.request('POST', notesPath(plugin), { body: { metadata: { name: 'a' }, spec: { title } } })
  const version = async () => ((await api.request('GET', echo)).body as { readonly version: string }).version
  const specOf = async (path: string) => ((await api.request('GET', path)).body as { readonly spec: object }).spec
  const ended = async (phase: 'Switched' | 'Failed', to = '2.0.0', plugin = 'todo') => {
    const look = async () => expect(await upgradeOf(api, plugin)).toMatchObject({ phase, to })
    await vi.waitFor(look, { timeout: 60_000, interval: 50 })
    return (await upgradeOf(api, plugin)) as { readonly message?: string }
  }
  const inTheEnd = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 60_000, interval: 50 })
  const back = async () => {
    expectStatus(await api.request('POST', `${console_}/todo/rollback`), 200)
    await ended('Switched', '1.0.0')
    await inTheEnd(async () => expect(await version()).toBe('1'))
  }

  describe('packages', () => {
    test('C8-1 a package without a valid name, version or supported protocol is 422', async () => {
      const named = another('Capital')
      expectProblem(await install(api, { definition: named }), 422, 'Invalid')
      expectProblem(await install(api, { version: 'new', definition: another('newer') }), 422, 'Invalid')
      const future = { ...another('future'), protocol: 2 } as unknown as PluginDefinition
      const refused = await install(api, { definition: future })
      expectProblem(refused, 422, 'Invalid')
      expect(refused.text).toContain('protocol 2')
    })

    test('C8-2 a plugin whose process reports another definition is Failed', async () => {
      const definition = another('liar')
      const lying = pluginProgramOf({ ...definition, groups: ['lies.example.com'] })
      await install(api, { definition, files: { 'plugin.js': lying } })
      await phaseIs(
        api,
        { phase: 'Failed', message: expect.stringContaining('a different definition') as string },
        'liar',
      )
    })

    test('C8-3 a package that claims a group of another plugin is rejected with the owner', async () => {
      await started()
      const refused = await install(api, { definition: { ...todoDefinition, name: 'thief' } })
      expectProblem(refused, 409, 'DuplicateIndexValue')
      expect(refused.text).toContain('todo')
    })

    test('C8-382 a package takes over a model that was declared without it only with approval', async () => {
      const model = notesOf('claimed')
      expectStatus(await api.request('POST', models, { body: { spec: model } }), 201)
      await inTheEnd(async () => expectStatus(await create('claimed', 'mine'), 201))
      const body = pluginPackage({ definition: another('claimed', { models: [model] }) })
      const headers = { 'content-type': 'application/gzip' }
      const plan = await api.request('POST', `${console_}/-/packages?plan=true`, { body, headers })
      expect(plan.body).toMatchObject({
        approvals: ['take over notes of claimed.example.com'],
      })
      const taken = (plan.body as Plan).sections.find(({ code }) => code === 'takeover')?.items
      const values = { resource: 'notes', group: 'claimed.example.com', count: 1, replaced: 'yes' }
      const approval = 'take over notes of claimed.example.com'
      expect(taken).toEqual([{ code: 'takeover-model', values, risk: 'decision', approval }])
      expectProblem(await api.request('POST', `${console_}/-/packages`, { body, headers }), 422, 'Invalid')
      const approve = encodeURIComponent('take over notes of claimed.example.com')
      expectStatus(await api.request('POST', `${console_}/-/packages?approve=${approve}`, { body, headers }), 201)
    })

    test('C8-4 a package that claims a group in the form of an audience group is 422', async () => {
      expectProblem(
        await install(api, { definition: another('odd', { groups: ['api.odd.example.com'] }) }),
        422,
        'Invalid',
      )
    })
  })

  describe('upgrades', () => {
    test('C8-5 C8-6 C8-7 C4-44 an upgrade switches models, indexes, role templates and process, and can be rolled back', async () => {
      await started()
      const before = await specOf(`${models}/todos.${todoGroup}`)
      expectStatus(await install(api, second), 200)
      await ended('Switched')
      await inTheEnd(async () => expect(await version()).toBe('2'))
      expect(await found('words=MILK')).toBe(2)
      expect(await found('words=milk')).toBe(0)
      expect(await found('spec.title=Buy milk')).toBe(1)
      expectStatus(await api.request('GET', '/api/v1alpha1/roles/todo-new'), 200)
      expectStatus(await api.request('GET', '/api/v1alpha1/roles/todo-old'), 404)
      expect(await specOf(`${plugins}/todo`)).toMatchObject({ version: '2.0.0', previous: { version: '1.0.0' } })
      await back()
      expect(await specOf(`${models}/todos.${todoGroup}`)).toEqual(before)
      expect(await found('words=milk')).toBe(2)
      expectStatus(await api.request('GET', '/api/v1alpha1/roles/todo-old'), 200)
    })

    test('C8-8 an upgrade that fails before the switch changes nothing', async () => {
      await started()
      const paths = [`${models}/todos.${todoGroup}`, `${plugins}/todo`]
      const before = await Promise.all(paths.map(specOf))
      const bad = { ...second, files: { 'extensions/roles.yaml': `${role('todo-new')}---${role('todo-Bad_')}` } }
      expectStatus(await install(api, bad), 200)
      const { message } = await ended('Failed')
      expect(message).toContain('extensions/roles.yaml, document 2')
      expect(await Promise.all(paths.map(specOf))).toEqual(before)
      expectStatus(await api.request('GET', '/api/v1alpha1/roles/todo-new'), 404)
      expect(await version()).toBe('1')
      expect(await found('words=milk')).toBe(2)
    })

    test('C8-9 an upgrade whose process cannot be started is aborted, with its output', async () => {
      await started()
      const files = { 'plugin.js': `console.error('no such thing'); process.exit(4)` }
      expectStatus(await install(api, { ...second, version: '2.1.0', files }), 200)
      const { message } = await ended('Failed', '2.1.0')
      expect(message).toContain('ended with code 4')
      expect(message).toContain('no such thing')
    })

    test('C8-502 after a failed upgrade, the status lists replicas of the active version only', async () => {
      await started()
      const files = { 'plugin.js': 'process.exit(4)' }
      expectStatus(await install(api, { ...second, version: '2.2.0', files }), 200)
      await ended('Failed', '2.2.0')
      const { body } = await api.request('GET', `${plugins}/todo`)
      const { spec, status } = body as {
        readonly spec: { readonly digest: string }
        readonly status: { readonly replicas: readonly { readonly digest: string }[] }
      }
      expect(status.replicas.map(({ digest }) => digest)).toEqual([spec.digest])
    })

    test('C8-10 replicas report an upgrade in progress, another one is 409, and disabling aborts it', async () => {
      await started()
      const stuck = { ...second, version: '3.0.0', files: { 'plugin.js': 'setInterval(() => {}, 1000)' } }
      expectStatus(await install(api, stuck), 200)
      await inTheEnd(async () => {
        const { digest } = ((await specOf(`${plugins}/todo`)) as { candidate: { digest: string } }).candidate
        const { body } = await api.request('GET', `${plugins}/todo`)
        const { replicas } = (body as { status: { replicas: object[] } }).status
        expect(replicas).toContainEqual({ replica: expect.any(String) as string, digest, phase: 'NotStarted' })
      })
      expectProblem(await install(api, second), 409, 'InUse')
      const headers = { 'content-type': 'application/merge-patch+json' }
      for (const enabled of [false, true]) {
        await api.request('PATCH', `${plugins}/todo`, { headers, body: { spec: { enabled } } })
        if (!enabled) await ended('Failed', '3.0.0')
      }
      await phaseIs(api, { phase: 'Started' })
      await inTheEnd(async () => expect(await version()).toBe('1'))
    })

    test('C8-380 C8-381 an index function that fails stops only what needs it, and is named', async () => {
      const path = notesPath('brittle')
      const words = { name: 'words', evaluated: 'multi' as const, revision: 1 }
      const having = (indexes: readonly object[]) =>
        another('brittle', { models: [notesOf('brittle', { indexes } as Partial<ModelDeclaration>)] })
      expectStatus(await install(api, { definition: having([words]) }), 201)
      await phaseIs(api, { phase: 'Started' }, 'brittle')
      expectStatus(await create('brittle', 'b'), 201)
      expectStatus(await install(api, { version: '2.0.0', definition: having([words]), words: 'fail' }), 200)
      await ended('Switched', '2.0.0', 'brittle')
      const headers = { 'content-type': 'application/merge-patch+json' }
      const patch = (body: object) => api.request('PATCH', `${path}/a`, { headers, body })
      // Another title each time: the process of the first version may still answer, and a repeated one would change nothing.
      let times = 0
      await inTheEnd(async () => expectProblem(await patch({ spec: { title: `c ${++times}` } }), 502, 'PluginFailed'))
      expectStatus(await patch({ metadata: { labels: { kept: 'yes' } } }), 200)

      const third = having([words, { name: 'spec.title' }])
      expectStatus(await install(api, { version: '3.0.0', definition: third }), 200)
      await ended('Switched', '3.0.0', 'brittle')
      await inTheEnd(async () => expectStatus(await patch({ spec: { title: 'd' } }), 200))

      const fourth = having([{ ...words, revision: 2 }, { name: 'spec.title' }])
      expectStatus(await install(api, { version: '4.0.0', definition: fourth, words: 'fail' }), 200)
      expect((await ended('Failed', '4.0.0', 'brittle')).message).toContain('notes "a": a planted one')
    })

    test('C8-11 an upgrade with plan=true is described and not started', async () => {
      await started()
      const metadata = { name: 'old-holder' }
      const binding = { metadata, subjects: [{ name: 'admin' }], roleRef: { name: 'todo-old' } }
      expectStatus(await api.request('POST', '/api/v1alpha1/rolebindings', { body: binding }), 201)
      const answer = await api.request('POST', `${console_}/-/packages?plan=true`, {
        body: pluginPackage(second),
        headers: { 'content-type': 'application/gzip' },
      })
      expectStatus(answer, 200)
      const text = renderPlan((answer.body as Plan).sections)
      expect(text).toContain('+ todos spec.title')
      expect(text).toContain('role todo-old is removed, and rolebinding old-holder grants it')
      expect(await specOf(`${plugins}/todo`)).toMatchObject({ version: '1.0.0' })
      expect(await specOf(`${plugins}/todo`)).not.toHaveProperty('candidate')
    })
  })

  test('C1-50 C1-51 custom routes with and without schemas are in the OpenAPI document of their group', async () => {
    const group = 'drawn.example.com'
    const response = { type: 'object', properties: { open: { type: 'integer' } } }
    const at = `/apis/console.api.${group}/v1alpha1/todos`
    const route = { audience: 'console' as const, method: 'GET' as const, allow: 'drawn-view' }
    const definition = another('drawn', {
      api: `${group}/v1alpha1`,
      models: [{ ...todo, group, check: false, indexes: [{ name: 'spec.title' }] }],
      routes: [
        {
          ...route,
          path: `${at}/-/stats`,
          response,
          query: { type: 'object', properties: { by: { type: 'string' } } },
        },
        { ...route, path: `${at}/{name}/plain` },
      ],
      owned: [{ group, plural: 'todos', path: 'spec.title' }],
    })
    expectStatus(await install(api, { definition }), 201)
    await phaseIs(api, { phase: 'Started' }, 'drawn')
    const { body: index } = await api.request('GET', '/openapi/v3')
    expect((index as { readonly paths: object }).paths).toHaveProperty([`apis/console.api.${group}/v1alpha1`])
    const { body } = await api.request('GET', `/openapi/v3/apis/console.api.${group}/v1alpha1`)
    const { paths } = body as { readonly paths: Readonly<Record<string, { readonly get: object }>> }
    expect(paths[`${at}/-/stats`]?.get).toMatchObject({
      'x-role-templates': ['drawn-view'],
      parameters: [{ name: 'by', in: 'query' }],
      responses: { 200: { content: { 'application/json': { schema: response } } } },
    })
    expect(paths[`${at}/{name}/plain`]?.get).toMatchObject({
      'x-role-templates': ['drawn-view'],
      parameters: [{ name: 'name', in: 'path' }],
    })
    const { body: own } = await api.request('GET', `/openapi/v3/apis/uc.api.${group}/v1alpha1`)
    const owned = (own as { readonly paths: object }).paths
    expect(Object.keys(owned)).toContain(`/apis/uc.api.${group}/v1alpha1/todos/{name}`)
  })

  describe('removal', () => {
    test('C8-12 C8-13 an uninstalled plugin keeps data and groups; its role templates and their bindings are deleted', async () => {
      await started()
      const binding = { metadata: { name: 'held' }, subjects: [{ name: 'admin' }], roleRef: { name: 'todo-both' } }
      await api.request('POST', '/api/v1alpha1/rolebindings', { body: binding })
      const plan = await api.request('POST', `${console_}/todo/uninstall?plan=true`)
      expect(renderPlan((plan.body as Plan).sections)).toContain('2 todos')
      expectStatus(await api.request('POST', `${console_}/todo/uninstall`), 200)
      await phaseIs(api, { phase: 'Disabled', reason: 'Uninstalled', message: 'it has left 2 todos' })
      expectProblem(await api.request('GET', `${todos}/buy`), 503, 'PluginNotStarted')
      expectStatus(await api.request('GET', '/api/v1alpha1/roles/todo-both'), 404)
      expectStatus(await api.request('GET', '/api/v1alpha1/rolebindings/held'), 404)
      expectProblem(
        await install(api, { definition: { ...todoDefinition, name: 'thief' } }),
        409,
        'DuplicateIndexValue',
      )
      expectStatus(await install(api, first), 200)
      await phaseIs(api, { phase: 'Started' })
      expect(await found('words=milk')).toBe(2)
    })

    test('C8-14 purging a plugin deletes its data despite its finalizers and releases its groups', async () => {
      const definition: PluginDefinition = {
        ...another('gone'),
        models: [{ ...todo, group: 'gone.example.com', check: false, indexes: [] }],
      }
      expectStatus(await install(api, { definition }), 201)
      await phaseIs(api, { phase: 'Started' }, 'gone')
      const held = '/apis/gone.example.com/v1alpha1/todos'
      const metadata = { name: 'held', finalizers: ['gone.example.com/hold'] }
      expectStatus(await api.request('POST', held, { body: { metadata, spec: {} } }), 201)
      const settings = { metadata: { name: 'gone-settings' }, data: {} }
      expectStatus(await api.request('POST', '/api/v1alpha1/configmaps', { body: settings }), 201)
      const plan = await api.request('POST', `${console_}/gone/purge?plan=true`)
      expect(renderPlan((plan.body as Plan).sections)).toContain('its settings, configmap gone-settings')
      expectStatus(await api.request('POST', `${console_}/gone/purge`), 200)
      await inTheEnd(async () => expectStatus(await api.request('GET', `${plugins}/gone`), 404))
      await inTheEnd(async () => expectStatus(await api.request('GET', held), 404))
      expectStatus(await install(api, { definition: { ...definition, name: 'heir' } }), 201)
    })

    test('C8-15 DELETE of a plugin object is 400', async () => {
      await started()
      expectProblem(await api.request('DELETE', `${plugins}/todo`), 400, 'BadRequest')
      expectStatus(await api.request('GET', `${plugins}/todo`), 200)
    })
  })
})

async function upgradeOf(api: Api, plugin: string): Promise<unknown> {
  const { body } = await api.request('GET', `${plugins}/${plugin}`)
  return (body as { readonly status?: { readonly upgrade?: unknown } }).status?.upgrade
}

/** A program that reports healthy and returns this definition. */
function pluginProgramOf(definition: object): string {
  return `
    import { createServer } from 'node:http'
    import { readFileSync } from 'node:fs'
    const { listen } = JSON.parse(readFileSync(3, 'utf8'))
    createServer((request, response) => response.end(${JSON.stringify(JSON.stringify(definition))})).listen(listen)`
}
