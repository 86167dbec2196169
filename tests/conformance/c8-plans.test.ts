import { renderPlan, type Plan, type Problem } from '@pergola/api'
import { expect, test } from 'vitest'
import { hostVersion } from '../../packages/server/src/base/host-version.ts'
import { missingInParams } from '../../packages/server/src/models/missing-in-params.rows.ts'
import { pluginPackage, type PluginFiles } from '../end-to-end/plugin-package.ts'
import { person } from './people.ts'
import { another, install, notesOf, notesPath, packages, phaseIs, plugins } from './plugin.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine } from './server.ts'

const gzip = { 'content-type': 'application/gzip' }
const merge = { 'content-type': 'application/merge-patch+json' }
const started = { phase: 'Started' }
const administration = packages.replace('/-/packages', '')

const reading = (...resources: readonly string[]) =>
  resources.map((resource) => ({
    apiGroups: [''],
    resources: [resource],
    resourceNames: ['shared'],
    verbs: ['get'],
  }))

interface Approval {
  readonly section: string
  readonly code: string
  readonly values: object
  readonly approval: string
  readonly at: string
  readonly by?: { readonly user?: string }
}

onEachEngine((api) => {
  const planOf = async (files: PluginFiles) => {
    const body = pluginPackage(files)
    const answered = await api.request('POST', `${packages}?plan=true`, { body, headers: gzip })
    expectStatus(answered, 200)
    return { plan: answered.body as Plan, size: body.length }
  }
  const specOf = async (name: string) => {
    const { body } = await api.request('GET', `${plugins}/${name}`)
    return (body as { readonly spec: { readonly version: string; readonly approved?: readonly Approval[] } }).spec
  }
  const approvedOf = async (name: string) => (await specOf(name)).approved ?? []
  const versionIs = async (name: string, version: string) => {
    await expect.poll(async () => (await specOf(name)).version).toBe(version)
  }

  test('C8-421 a plan has the identity of the package, and sections of items with codes, values, risks and approvals', async () => {
    const name = 'planned'
    const route = { audience: 'public', method: 'GET', path: `/apis/api.${name}.example.com/v1alpha1/news` } as const
    const definition = another(name, {
      models: [notesOf(name)],
      routes: [{ ...route, description: 'The latest notes' }],
      permissions: reading('secrets'),
      requires: `^${hostVersion}`,
    })
    const role = `apiVersion: v1alpha1
kind: Role
metadata: { name: ${name}-read, labels: { rbac.authorization.platform.run/template: "true", rbac.authorization.platform.run/aggregate-to-authenticated: "true" } }
rules: [{ apiGroups: [${name}.example.com], resources: [notes], verbs: [get, list] }]`
    const { plan, size } = await planOf({ definition, files: { 'extensions/roles.yaml': role } })
    const { plugin, sections, approvals } = plan
    expect(plan).toMatchObject({ to: '1.0.0' })
    expect(plan).not.toHaveProperty('from')
    expect(plugin).toMatchObject({ name, version: '1.0.0', size, requires: `^${hostVersion}` })
    expect(plugin).toMatchObject({ host: { version: hostVersion, isCompatible: true } })
    const itemsOf = (wanted: string) => sections.find(({ code }) => code === wanted)?.items ?? []
    const secret = { verbs: ['get'], resource: 'secrets', group: '', names: ['shared'] }
    expect(itemsOf('requests')).toEqual([
      { code: 'resource', values: secret, risk: 'decision', approval: 'get secrets shared' },
    ])
    const joins = { role: `${name}-read`, target: 'authenticated' }
    const notes = { verbs: ['get', 'list'], resource: 'notes', kind: 'Note', singular: 'note' }
    expect(itemsOf('signed-in')).toEqual([
      { code: 'joins-role', values: joins, risk: 'everybody', approval: `${name}-read into authenticated` },
      { code: 'resource', values: notes, risk: 'everybody' },
    ])
    const { method, path } = route
    const values = { method, path, description: 'The latest notes' }
    expect(itemsOf('unreached')).toContainEqual({ code: 'route', values, risk: 'none' })
    expect(approvals).toEqual(['get secrets shared', `${name}-read into authenticated`])
    expect(renderPlan(sections)).toContain('Everybody who signs in gets the role planned-read.')
  })

  test('C8-422 C8-423 the object of a plugin lists approved rights with time and approver, and is read-only', async () => {
    const name = 'agreed'
    const operator = await person(api, { roles: ['super-administrator'] })
    const body = pluginPackage({ definition: another(name, { permissions: reading('secrets') }) })
    const approving = `${packages}?approve=${encodeURIComponent('get secrets shared')}`
    expectStatus(await operator.request('POST', approving, { body, headers: gzip }), 201)
    // Until then, each change of the status makes a new version.
    await phaseIs(api, started, name)
    const [only, ...others] = await approvedOf(name)
    expect(others).toEqual([])
    expect(only).toMatchObject({
      section: 'requests',
      code: 'resource',
      values: { verbs: ['get'], resource: 'secrets', names: ['shared'] },
      approval: 'get secrets shared',
      by: { user: operator.name },
    })
    expect(new Date(String(only?.at)).toISOString()).toBe(only?.at)
    const forged = [{ ...only, by: { user: 'somebody-else' } }]
    for (const approved of [forged, [], null]) {
      const answer = await operator.request('PATCH', `${plugins}/${name}`, {
        body: { spec: { approved } },
        headers: merge,
      })
      expectProblem(answer, 422, 'Invalid')
    }
    const { body: whole } = await operator.request('GET', `${plugins}/${name}`)
    const { spec } = whole as { readonly spec: object }
    const changed = { ...(whole as object), spec: { ...spec, approved: forged } }
    expectProblem(await operator.request('PUT', `${plugins}/${name}`, { body: changed }), 422, 'Invalid')
    expect(await approvedOf(name)).toEqual([only])
  })

  test('C8-424 an upgrade keeps the approvals that still apply and drops the others; a rollback restores those of its version', async () => {
    const name = 'growing'
    const version = (permissions: ReturnType<typeof reading>) => ({ definition: another(name, { permissions }) })
    expectStatus(await install(api, version(reading('secrets', 'roles'))), 201)
    await phaseIs(api, started, name)
    const first = await approvedOf(name)
    expect(first.map(({ approval }) => approval)).toEqual(['get secrets shared', 'get roles shared'])
    const operator = await person(api, { roles: ['super-administrator'] })
    const body = pluginPackage({ ...version(reading('secrets', 'configmaps')), version: '2.0.0' })
    const approving = `${packages}?approve=${encodeURIComponent('get configmaps shared')}`
    expectStatus(await operator.request('POST', approving, { body, headers: gzip }), 200)
    await versionIs(name, '2.0.0')
    const [kept, added, ...others] = await approvedOf(name)
    expect(others).toEqual([])
    expect(kept).toEqual(first[0])
    expect(added).toMatchObject({ approval: 'get configmaps shared', by: { user: operator.name } })
    expectStatus(await api.request('POST', `${administration}/${name}/rollback`), 200)
    await versionIs(name, '1.0.0')
    expect(await approvedOf(name)).toEqual(first)
  })

  test('C8-426 a problem has in its params the values that its detail and its messages state', async () => {
    const group = 'telling.example.com'
    const path = `/apis/${group}/v1alpha1/notes`
    const model = notesOf('telling', { indexes: [{ name: 'spec.title', unique: true }] })
    const settings = { type: 'object', properties: { token: { type: 'string', writeOnly: true } } }
    const definition = another('telling', { models: [model], settings })
    expectStatus(await install(api, { definition }), 201)
    await phaseIs(api, started, 'telling')
    const ann = await person(api)
    const note = (name: string, title = name) => ({ metadata: { name }, spec: { title } })
    expectStatus(await api.request('POST', path, { body: note('first') }), 201)
    const versioned = (metadata: object) => ({ metadata: { name: 'first', ...metadata }, spec: { title: 'first' } })
    const operation = (verb: string, more: object) => ({
      verb,
      apiVersion: `${group}/v1alpha1`,
      resource: 'notes',
      ...more,
    })
    const batch = (...operations: readonly object[]) => ({ body: { operations } })
    const batches = '/apis/api.platform.run/v1alpha1/batches'
    const asking = pluginPackage({ definition: another('unagreed', { permissions: reading('secrets') }) })
    const large = { metadata: { name: 'large' }, spec: { title: 'x'.repeat(4_000_000) } }
    const secret = { metadata: { name: 'telling-settings' }, data: { token: 'x' } }
    const token = { roles: ['super-administrator'] }
    const models = '/apis/plugin.platform.run/v1alpha1/models'
    expectStatus(await api.request('POST', models, { body: { spec: { ...model, group: 'shelved.example.com' } } }), 201)
    const uid = '00000000-0000-4000-8000-000000000000'
    const binding = {
      metadata: { name: 'nobodys' },
      subjects: [{ name: 'missing-user' }],
      roleRef: { name: 'missing-role' },
    }
    const requests: readonly (readonly [string, string, () => Promise<Answer>])[] = [
      ['NotFound', '', () => api.request('GET', `${path}/missing`)],
      ['NotFound', '', () => api.request('GET', '/nothing/here')],
      ['ModelNotFound', '', () => api.request('GET', `/apis/${group}/v1alpha1/note`)],
      ['Forbidden', '', () => ann.request('GET', `${path}/first`)],
      ['AlreadyExists', 'exists', () => api.request('POST', path, { body: note('first') })],
      ['DuplicateIndexValue', 'unique', () => api.request('POST', path, { body: note('second', 'first') })],
      ['VersionConflict', 'version', () => api.request('PUT', `${path}/first`, { body: versioned({ version: 77 }) })],
      ['VersionConflict', 'uid', () => api.request('PUT', `${path}/first`, { body: versioned({ uid }) })],
      ['BadRequest', 'immutable', () => api.request('PUT', `${path}/first`, { body: note('other') })],
      ['PayloadTooLarge', '', () => api.request('POST', path, { body: large })],
      ['Invalid', 'exists', () => api.request('POST', '/api/v1alpha1/rolebindings', { body: binding })],
      ['Invalid', 'approval', () => api.request('POST', packages, { body: asking, headers: gzip })],
      ['Invalid', 'settings', () => api.request('POST', '/api/v1alpha1/configmaps', { body: secret })],
      [
        'Invalid',
        'held',
        () => ann.request('POST', '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens', { body: token }),
      ],
      [
        'Invalid',
        'taken',
        () =>
          api.request('POST', models, { body: { spec: { ...model, group: 'shelved.example.com', plural: 'papers' } } }),
      ],
      ['PayloadTooLarge', 'size', () => api.request('POST', batches, batch(operation('create', { object: large })))],
      ['NotFound', 'operation', () => api.request('POST', batches, batch(operation('delete', { name: 'missing' })))],
    ]
    for (const [reason, rule, send] of requests) {
      const { body, text } = await send()
      const problem = body as Problem
      expect(problem.reason, text).toBe(reason)
      if (problem.status !== 422 && problem.status !== 400) {
        expect(problem.params, text).toBeDefined()
        expect(missingInParams(problem.detail, problem.params), text).toEqual([])
      }
      const errors = (problem.errors ?? []).filter((error) => rule === '' || error.rule === rule)
      expect(errors.length > 0 || rule === '', text).toBe(true)
      for (const { message, params } of errors) {
        if (rule !== '') expect(params, text).toBeDefined()
        expect(missingInParams(message, params), text).toEqual([])
      }
    }
  })

  test('C8-425 the plan of a removal has the same form: what stays, how many objects, who depends on it', async () => {
    const name = 'leaving'
    expectStatus(await install(api, { definition: another(name, { models: [notesOf(name)] }) }), 201)
    await phaseIs(api, started, name)
    expectStatus(await api.request('POST', notesPath(name), { body: { metadata: { name: 'a' }, spec: {} } }), 201)
    const needing = another('clinging', { dependencies: { [name]: '^1.0.0' } })
    expectStatus(await install(api, { definition: needing }), 201)
    const removal = async (verb: string) => {
      const answered = await api.request('POST', `${administration}/${name}/${verb}?plan=true`)
      expectStatus(answered, 200)
      return answered.body as Plan
    }
    const groups = [`${name}.example.com`]
    const objects = { code: 'objects', values: { count: 1, resource: 'notes', group: groups[0] } }
    const dependent = { plugin: 'clinging', version: '1.0.0', needed: name, range: '^1.0.0' }
    const dependents = { code: 'dependents', items: [{ code: 'dependent', values: dependent }] }
    const plan = await removal('uninstall')
    expect(plan).toMatchObject({ plugin: { name, version: '1.0.0' }, from: '1.0.0', approvals: [] })
    expect(plan).not.toHaveProperty('to')
    expect(plan.sections).toEqual([
      { code: 'kept', items: [objects] },
      dependents,
      { code: 'afterwards', items: [{ code: 'data-kept', values: { groups } }] },
    ])
    expect((await removal('purge')).sections).toEqual([
      { code: 'deleted', items: [objects] },
      dependents,
      { code: 'afterwards', items: [{ code: 'groups-released', values: { groups } }] },
    ])
  })
})
