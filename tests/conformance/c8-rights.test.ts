import { renderPlan, type Plan, type PluginDefinition } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { pluginPackage, type PluginFiles } from '../end-to-end/plugin-package.ts'
import { another, install, notesOf, notesPath, packages, phaseIs } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

/** Forwards the given request to the host as itself and returns the response. */
const asks = `async (request, response, ask) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { path, ...options } = JSON.parse(text)
  response.setHeader('content-type', 'application/json').end(JSON.stringify(await ask(path, options)))
}`
const groupOf = (name: string) => `${name}.example.com`
const askPath = (name: string) => `/apis/console.api.${groupOf(name)}/v1alpha1/ask`
const asking = (name: string, change: Partial<PluginDefinition> = {}): PluginFiles => ({
  definition: another(name, {
    models: [notesOf(name, { indexes: [{ name: 'spec.title' }] })],
    routes: [{ audience: 'console', method: 'POST', path: askPath(name) }],
    ...change,
  }),
  answer: asks,
})
const readConfig = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['shared'], verbs: ['get'] }
const role = (name: string, rest: string) => `
apiVersion: v1alpha1
kind: Role
metadata: { name: ${name}, labels: { platform.run/role-template: "true"${rest}
`
const into = (target: string) => `, rbac.authorization.platform.run/aggregate-to-${target}: "true" } }`
const rules = (group: string, resource = 'notes') =>
  `\nrules: [{ apiGroups: ['${group}'], resources: [${resource}], verbs: [get, list] }]`

onEachEngine((api) => {
  const ready = once(async () => {
    expectStatus(await install(api, asking('asker', { permissions: [readConfig] })), 201)
    expectStatus(await install(api, asking('neighbour')), 201)
    for (const name of ['asker', 'neighbour']) await phaseIs(api, { phase: 'Started' }, name)
  })
  const asPlugin = async (method: string, path: string, body?: object) => {
    await ready()
    const answered = await api.request('POST', askPath('asker'), { body: { path, method, body } })
    expectStatus(answered, 200)
    return answered.body as { readonly status: number; readonly body: { readonly detail?: string } }
  }
  const planOf = async (files: PluginFiles) => {
    const headers = { 'content-type': 'application/gzip' }
    const answered = await api.request('POST', `${packages}?plan=true`, { body: pluginPackage(files), headers })
    expectStatus(answered, 200)
    const { approvals, sections } = answered.body as Plan
    return { approvals, sections, text: renderPlan(sections) }
  }
  const unapproved = (files: PluginFiles) =>
    api.request('POST', packages, { body: pluginPackage(files), headers: { 'content-type': 'application/gzip' } })

  describe('the rights of a plugin', () => {
    test('C8-24 a plugin may do everything in its own groups', async () => {
      const notes = notesPath('asker')
      expect(await asPlugin('POST', notes, { metadata: { name: 'own' }, spec: {} })).toMatchObject({ status: 201 })
      expect(await asPlugin('PUT', `${notes}/own`, { metadata: {}, spec: { title: 'a' } })).toMatchObject({
        status: 200,
      })
      expect(await asPlugin('GET', `${notes}/own`)).toMatchObject({ status: 200 })
      expect(await asPlugin('DELETE', `${notes}/own`)).toMatchObject({ status: 200 })
    })

    test('C8-25 any other request of a plugin is 403, with the rule to ask for', async () => {
      const foreign = notesPath('neighbour')
      const refused: readonly (readonly [string, string, string])[] = [
        ['GET', foreign, '{"apiGroups":["neighbour.example.com"],"resources":["notes"],"verbs":["list"]}'],
        ['GET', '/api/v1alpha1/roles', '{"apiGroups":[""],"resources":["roles"],"verbs":["list"]}'],
        [
          'DELETE',
          '/api/v1alpha1/users/ann',
          '{"apiGroups":[""],"resources":["users"],"resourceNames":["ann"],"verbs":["delete"]}',
        ],
        ['GET', '/metrics', '{"nonResourceURLs":["/metrics"],"verbs":["get"]}'],
      ]
      for (const [method, path, rule] of refused) {
        const { status, body } = await asPlugin(method, path)
        expect(status, path).toBe(403)
        expect(body.detail).toContain(`plugin:asker may not`)
        expect(body.detail).toContain(`add to "permissions" of the plugin ${rule}`)
      }
    })

    test('C8-26 a plugin may do exactly what it requested and an operator approved', async () => {
      const body = { metadata: { name: 'shared' }, data: { a: 'b' } }
      expectStatus(await api.request('POST', '/api/v1alpha1/configmaps', { body }), 201)
      expect(await asPlugin('GET', '/api/v1alpha1/configmaps/shared')).toMatchObject({ status: 200 })
      expect(await asPlugin('GET', '/api/v1alpha1/configmaps/other')).toMatchObject({ status: 403 })
      expect(await asPlugin('DELETE', '/api/v1alpha1/configmaps/shared')).toMatchObject({ status: 403 })
    })
  })

  describe('approvals', () => {
    test('C8-27 permissions that a plugin requests are approved by name', async () => {
      const files = asking('curious', { permissions: [{ ...readConfig, resources: ['secrets'] }] })
      const { approvals } = await planOf(files)
      expect(approvals).toEqual(['get secrets shared'])
      const refused = await unapproved(files)
      expectProblem(refused, 422, 'Invalid')
      expect(refused.body).toMatchObject({ errors: [{ rule: 'approval', message: 'get secrets shared' }] })
      expectStatus(await install(api, files), 201)
    })

    test('C8-28 rules outside its own groups and every aggregation target are approved by name', async () => {
      const name = 'broad'
      const yaml = [
        role('broad-own', ' } }') + rules(groupOf(name)),
        role('broad-wide', ' } }') + rules('', 'users'),
        role('broad-editor', into('editor')) + rules(groupOf(name)),
      ].join('\n---')
      const files = { ...asking(name), files: { 'extensions/roles.yaml': yaml } }
      const { approvals } = await planOf(files)
      expect(approvals).toEqual(['broad-editor into editor', 'broad-wide: get,list users'])
      expectProblem(await unapproved(files), 422, 'Invalid')
    })

    test('C8-29 everything that becomes public is approved one by one', async () => {
      const yaml = role('open-notes', into('anonymous')) + rules(groupOf('open'))
      const files = { ...asking('open'), files: { 'extensions/roles.yaml': yaml } }
      const { approvals, sections } = await planOf(files)
      expect(approvals).not.toEqual([])
      expect(approvals.filter((name) => !name.startsWith('public: '))).toEqual([])
      const opened = sections.find(({ code }) => code === 'public')?.items ?? []
      expect(opened.map(({ approval }) => approval)).toEqual(approvals)
      expect(new Set(opened.map(({ risk }) => risk))).toEqual(new Set(['decision']))
      expectProblem(await unapproved(files), 422, 'Invalid')
    })
  })

  test('C8-30 a plan shows access, roles, permissions, models and indexes before any code of the plugin runs', async () => {
    const files: PluginFiles = {
      ...asking('told', { permissions: [readConfig] }),
      files: {
        'plugin.js': 'process.exit(1)',
        'extensions/roles.yaml': role('told-view', into('authenticated')) + rules(groupOf('told')),
      },
    }
    const { text } = await planOf(files)
    const all = ['Everybody who signs in gets the role told-view.', 'get configmaps shared', 'notes', 'spec.title']
    for (const told of all) expect(text).toContain(told)
    expectStatus(await api.request('GET', '/apis/plugin.platform.run/v1alpha1/plugins/told'), 404)
  })
})
