import { renderPlan, type PlanSection } from '@pergola/api'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { engines, plugins, startHost, type PluginHost } from './plugin-host.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'

vi.setConfig({ hookTimeout: 60_000, testTimeout: 90_000 })

/** Uninstalling a plugin keeps its data; purging deletes it. */
const todos = '/apis/todo.example.com/v1alpha1/todos'
const console_ = '/apis/console.api.platform.run/v1alpha1/plugins'

const role = `
apiVersion: v1alpha1
kind: Role
metadata: { name: todo-view, labels: { platform.run/role-template: "true" } }
rules: [{ apiGroups: [todo.example.com], resources: [todos], verbs: [get] }]
`
const first = pluginPackage({ files: { 'extensions/roles.yaml': role } })

describe.each(engines)('on %s', (engine) => {
  let host: PluginHost
  const send: PluginHost['send'] = (line, options) => host.send(line, { token: host.admin, ...options })
  const statusOf = async (path: string) => (await send(`GET ${path}`)).status

  beforeEach(async () => {
    host = await startHost(engine)
    await host.install(first)
    await host.phaseIs('todo', { phase: 'Started' })
    const finalizers = ['todo.example.com/hold']
    for (const name of ['a', 'b']) {
      const body = { metadata: { name, finalizers }, spec: { title: name } }
      // On a busy machine, the plugin may not answer its check in time.
      const isCreated = async () => (await send(`POST ${todos}`, { body })).status === 201
      await vi.waitUntil(isCreated, { timeout: 60_000, interval: 100 })
    }
    await host.user('ann')
    const binding = { metadata: { name: 'ann-todo' }, subjects: [{ name: 'ann' }], roleRef: { name: 'todo-view' } }
    await send('POST /api/v1alpha1/rolebindings', { body: binding })
  })
  afterEach(() => host[Symbol.asyncDispose]())

  test('uninstall keeps the objects and reserves the group; installing again restores the plugin', async () => {
    const { body: plan } = await send(`POST ${console_}/todo/uninstall?plan=true`)
    expect(renderPlan(plan['sections'] as readonly PlanSection[])).toBe(
      [
        '  kept           2 todos',
        '  roles deleted  todo-view',
        '  held by        rolebinding ann-todo, which is deleted too',
        '  afterwards     the data is available again when the plugin is installed again; no other plugin can claim its groups',
      ].join('\n'),
    )
    expect(await statusOf(`${todos}/a`)).toBe(200)

    expect((await send(`POST ${console_}/todo/uninstall`)).status).toBe(200)
    await host.phaseIs('todo', { phase: 'Disabled', reason: 'Uninstalled', message: 'it has left 2 todos' })
    expect(await statusOf(`${todos}/a`)).toBe(503)
    expect(await statusOf('/api/v1alpha1/roles/todo-view')).toBe(404)
    expect(await statusOf('/api/v1alpha1/rolebindings/ann-todo')).toBe(404)
    const other = { ...todoDefinition, name: 'other' }
    expect((await host.install(pluginPackage({ definition: other }))).body).toMatchObject({
      reason: 'DuplicateIndexValue',
    })
    const type = 'application/merge-patch+json'
    expect((await send(`PATCH ${plugins}/todo`, { type, body: { spec: { enabled: true } } })).status).toBe(422)

    expect((await host.install(first)).status).toBe(200)
    await host.phaseIs('todo', { phase: 'Started' })
    expect(await statusOf(`${todos}/a`)).toBe(200)
    expect(await statusOf('/api/v1alpha1/roles/todo-view')).toBe(200)
  })

  test('purge deletes the objects despite their finalizers, and frees the group', async () => {
    const { body: plan } = await send(`POST ${console_}/todo/purge?plan=true`)
    expect(plan['sections']).toContainEqual(
      expect.objectContaining({
        code: 'deleted',
        items: [{ code: 'objects', values: { count: 2, resource: 'todos', group: 'todo.example.com' } }],
      }),
    )
    expect((await send(`POST ${console_}/todo/purge`)).status).toBe(200)
    await vi.waitFor(async () => expect(await statusOf(`${plugins}/todo`)).toBe(404), { timeout: 60_000 })
    await vi.waitFor(async () => expect(await statusOf(todos)).toBe(404), { timeout: 60_000 })
    expect(await statusOf('/api/v1alpha1/roles/todo-view')).toBe(404)
    const other = { ...todoDefinition, name: 'other' }
    expect((await host.install(pluginPackage({ definition: other }))).status).toBe(201)
    await host.phaseIs('other', { phase: 'Started' })
    expect((await send(`GET ${todos}`)).body).toMatchObject({ items: [] })
  })

  test('purge waits for finalizers of others and reports them', async () => {
    const headers = { type: 'application/merge-patch+json' }
    const finalizers = ['other.example.com/hold']
    await send(`PATCH ${todos}/a`, { ...headers, body: { metadata: { finalizers } } })
    await send(`POST ${console_}/todo/purge`)
    const message = '1 todos are left, held by other.example.com/hold'
    await host.phaseIs('todo', { phase: 'Disabled', reason: 'Purging', message })
    expect((await host.install(first)).body).toMatchObject({ reason: 'InUse' })
  })

  test('DELETE on the plugin object is rejected with the purge endpoint', async () => {
    const { status, body } = await send(`DELETE ${plugins}/todo`)
    expect(status).toBe(400)
    expect(body['detail']).toContain('/apis/console.api.platform.run/v1alpha1/plugins/<name>/purge')
  })
})
