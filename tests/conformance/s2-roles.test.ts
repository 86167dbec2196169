import { describe, expect, test } from 'vitest'
import { bind, core, createRole, expectSoon, person, roleOf, type Person } from './people.ts'
import { mergePatch, type List } from './collection.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine } from './server.ts'

const rbac = 'rbac.authorization.platform.run'
const own = '/apis/api.platform.run/v1alpha1'
const reading = { apiGroups: ['shop.example.com'], resources: ['orders'], verbs: ['get', 'list'] }

interface Role {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
}

onEachEngine((api) => {
  const post = (body: object) => api.request('POST', `${core}/roles`, { body })
  const names = (answer: Answer) => (answer.body as List).items.map(({ metadata }) => metadata.name)
  const review = async (who: Person, request: object) => {
    const answer = await who.request('POST', `${own}/accessreviews`, { body: { requests: [request] } })
    expectStatus(answer, 200)
    return (answer.body as { items: { allowed: boolean; templates?: readonly string[] }[] }).items[0]
  }
  const whoCan = async (request: object): Promise<readonly string[]> => {
    const answer = await api.request('POST', `${own}/whocan`, { body: { requests: [request] } })
    expectStatus(answer, 200)
    const [item] = (answer.body as { items: { roles: { name: string }[] }[] }).items
    return item?.roles.map(({ name }) => name) ?? []
  }

  describe('roles', () => {
    test('S2.8-1 a role has apiVersion v1alpha1, kind Role and rules', async () => {
      const body = roleOf('s281-role', { rules: [reading] })
      const answer = await post(body)
      expectStatus(answer, 201)
      expect(answer.body).toMatchObject({ kind: 'Role', apiVersion: 'v1alpha1', rules: [reading] })
      expectProblem(await post({ metadata: { name: 's281-none' } }), 422, 'Invalid')
      expectProblem(await post({ metadata: { name: 's281-none' }, rules: {} }), 422, 'Invalid')
    })
    test('S2.8-3 a role keeps its labels and annotations', async () => {
      const metadata = {
        name: 's283-role',
        labels: { 'platform.run/role-template': 'true', 'platform.run/hidden': 'true' },
        annotations: {
          [`${rbac}/module`]: 'Orders',
          [`${rbac}/display-name`]: 'Bestellungen ansehen ✓',
          [`${rbac}/dependencies`]: '["visitor"]',
          [`${rbac}/ui-permissions`]: '["plugin:shop:view"]',
        },
      }
      expectStatus(await post({ metadata, rules: [] }), 201)
      expect((await api.request('GET', `${core}/roles/s283-role`)).body).toMatchObject({ metadata })
    })
    test('S2.8-4 a role is a template if and only if its label is true', async () => {
      const rule = { apiGroups: ['s284.example.com'], resources: ['orders'], verbs: ['get'] }
      const role = (name: string, value?: string) => ({
        metadata: { name, ...(value !== undefined && { labels: { 'platform.run/role-template': value } }) },
        rules: [rule],
      })
      expectStatus(await post(role('s284-yes', 'true')), 201)
      expectStatus(await post(role('s284-no', 'false')), 201)
      expectStatus(await post(role('s284-none')), 201)
      const ann = await person(api)
      await expectSoon(async () => {
        const found = await review(ann, { verb: 'get', group: 's284.example.com', resource: 'orders', name: 'a' })
        expect(found).toMatchObject({ allowed: false, templates: ['s284-yes'] })
      })
    })
    test('S2.8-5 S2.8-6 a list of roles can be limited to templates, with or without hidden ones', async () => {
      const role = (name: string, labels: object) => ({ metadata: { name, labels }, rules: [] })
      const template = { 'platform.run/role-template': 'true' }
      expectStatus(await post(role('s285-shown', template)), 201)
      expectStatus(await post(role('s285-hidden', { ...template, 'platform.run/hidden': 'true' })), 201)
      expectStatus(await post(role('s285-plain', {})), 201)
      const list = async (selector: string) =>
        names(await api.request('GET', `${core}/roles?labelSelector=${encodeURIComponent(selector)}`))
      const templates = await list('platform.run/role-template=true')
      expect(templates).toEqual(expect.arrayContaining(['s285-shown', 's285-hidden']))
      expect(templates).not.toContain('s285-plain')
      const shown = await list('platform.run/role-template=true,platform.run/hidden!=true')
      expect(shown).toContain('s285-shown')
      expect(shown).not.toContain('s285-hidden')
    })
    test('C7-3 a role does not gain the rights of the roles that depend on it', async () => {
      const rule = { apiGroups: [''], resources: ['rolebindings'] }
      const view = await createRole(api, { rules: [{ ...rule, verbs: ['list'] }] })
      await createRole(api, { rules: [{ ...rule, verbs: ['update'] }], dependencies: [view] })
      const ben = await person(api, { roles: [view] })
      await expectSoon(async () => expectStatus(await ben.request('GET', `${core}/rolebindings?size=1`), 200))
      expectStatus(await ben.request('PUT', `${core}/rolebindings/a`, { body: {} }), 403)
    })
    test('S2.8-8 the UI permissions of a role include those of the roles it depends on', async () => {
      const role = (name: string, permission: string, more: object = {}) => ({
        metadata: { name, annotations: { [`${rbac}/ui-permissions`]: `["${permission}"]`, ...more } },
        rules: [],
      })
      expectStatus(await post(role('s288-view', 'plugin:shop:s288-view')), 201)
      const dependencies = { [`${rbac}/dependencies`]: '["s288-view"]' }
      expectStatus(await post(role('s288-manage', 'plugin:shop:s288-manage', dependencies)), 201)
      const ann = await person(api, { roles: ['s288-manage'] })
      await expectSoon(async () => {
        const { body } = await ann.request('GET', `${own}/users/-/permissions`)
        expect((body as { uiPermissions: string[] }).uiPermissions).toEqual([
          'plugin:shop:s288-manage',
          'plugin:shop:s288-view',
        ])
      })
    })
  })

  describe('role bindings', () => {
    const postBinding = (parts: object) => api.request('POST', `${core}/rolebindings`, { body: parts })
    const binding = (name: string, parts: object = {}) => ({
      metadata: { generateName: 'binding-' },
      roleRef: { apiGroup: '', kind: 'Role', name: 'author' },
      subjects: [{ apiGroup: '', kind: 'User', name }],
      ...parts,
    })
    test('S2.10-1 a role binding has apiVersion v1alpha1, kind RoleBinding, a role and subjects', async () => {
      const { name } = await person(api)
      const answer = await postBinding(binding(name))
      expectStatus(answer, 201)
      const { metadata: _, ...parts } = binding(name)
      expect(answer.body).toMatchObject({ kind: 'RoleBinding', apiVersion: 'v1alpha1', ...parts })
    })
    const refused: readonly (readonly [number: string, what: string, parts: (user: string) => object])[] = [
      [
        'S2.10-2',
        'a role of another group',
        () => ({ roleRef: { apiGroup: 'a.example', kind: 'Role', name: 'author' } }),
      ],
      ['S2.10-3', 'a reference to another kind', () => ({ roleRef: { kind: 'ClusterRole', name: 'author' } })],
      ['C7-6', 'no role', () => ({ roleRef: { kind: 'Role' } })],
      [
        'S2.10-5',
        'a subject of another group',
        (name) => ({ subjects: [{ apiGroup: 'a.example', kind: 'User', name }] }),
      ],
      ['S2.10-5', 'a subject of another kind', (name) => ({ subjects: [{ kind: 'Group', name }] })],
      ['S2.10-5', 'a subject without a name', () => ({ subjects: [{ kind: 'User' }] })],
      ['S2.10-5', 'subjects that are not an array', (name) => ({ subjects: { kind: 'User', name } })],
    ]
    for (const [number, what, parts] of refused) {
      test(`${number} a role binding with ${what} is rejected`, async () => {
        const { name } = await person(api)
        expectProblem(await postBinding(binding(name, parts(name))), 422, 'Invalid')
      })
    }
    test('C7-6 a role binding to a role that does not exist is rejected, and the error names the field', async () => {
      const { name } = await person(api)
      const answer = await postBinding(binding(name, { roleRef: { kind: 'Role', name: 'not-there' } }))
      expectProblem(answer, 422, 'Invalid')
      expect(answer.body).toMatchObject({ errors: [{ field: 'roleRef.name', rule: 'exists' }] })
    })
    test('S2.10-6 a role binding grants its role to every subject and to nobody else', async () => {
      const role = await createRole(api, { rules: [{ apiGroups: [''], resources: ['roles'], verbs: ['list'] }] })
      const [ann, ben, eve] = [await person(api), await person(api), await person(api)]
      await bind(api, role, [ann.name, ben.name])
      await expectSoon(async () => {
        for (const who of [ann, ben]) expectStatus(await who.request('GET', `${core}/roles?size=1`), 200)
      })
      expectStatus(await eve.request('GET', `${core}/roles?size=1`), 403)
    })
  })

  describe('aggregation', () => {
    const rule = { apiGroups: [''], resources: ['users'], verbs: ['list'] }
    const label = (target: string) => `${rbac}/aggregate-to-${target}`
    const relabel = async (role: string, target: string, value: string | null) => {
      const body = { metadata: { labels: { [label(target)]: value } } }
      const headers = { 'content-type': mergePatch }
      expectStatus(await api.request('PATCH', `${core}/roles/${role}`, { body, headers }), 200)
    }
    test('S2.11-2 S2.12-3 rules aggregated into anonymous are public until the label or the role is removed', async () => {
      const things = await api.model()
      const rules = [{ apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['list', 'get'] }]
      const role = await createRole(api, { rules })
      const { name } = (await things.created()).metadata
      const visit = (method: string, path: string) => api.request(method, path, { as: 'anonymous' })
      const ann = await person(api)
      expectStatus(await visit('GET', things.path), 401)
      await relabel(role, 'anonymous', 'true')
      await expectSoon(async () => expectStatus(await visit('GET', things.path), 200))
      expectStatus(await visit('GET', `${things.path}/${name}`), 200)
      expectStatus(await ann.request('GET', `${things.path}/${name}`), 200)
      expectStatus(await visit('DELETE', `${things.path}/${name}`), 401)
      await relabel(role, 'anonymous', null)
      await expectSoon(async () => expectStatus(await visit('GET', things.path), 401))
      await expectSoon(async () => expectStatus(await ann.request('GET', things.path), 403))
      await relabel(role, 'anonymous', 'true')
      await expectSoon(async () => expectStatus(await visit('GET', things.path), 200))
      expectStatus(await api.request('DELETE', `${core}/roles/${role}`), 200)
      await expectSoon(async () => expectStatus(await visit('GET', things.path), 401))
    })
    test('S2.11-3 a role can aggregate into a role such as editor that is created later', async () => {
      await createRole(api, { rules: [rule], aggregatesTo: ['editor'] })
      expectStatus(await post(roleOf('editor', {})), 201)
      const ann = await person(api, { roles: ['editor'] })
      await expectSoon(async () => expectStatus(await ann.request('GET', `${core}/users?size=1`), 200))
    })
  })

  describe('built-in roles', () => {
    const get = async (name: string) => (await api.request('GET', `${core}/roles/${name}`)).body as Role
    for (const [number, name] of [
      ['S2.12-1', 'anonymous'],
      ['S2.12-2', 'authenticated'],
    ] as const) {
      test(`${number} ${name} is hidden in the list of roles`, async () => {
        expect((await get(name)).metadata.labels).toMatchObject({ 'platform.run/hidden': 'true' })
        const listed = names(await api.request('GET', `${core}/roles?labelSelector=platform.run/hidden!=true`))
        expect(listed).toContain('visitor')
        expect(listed).not.toContain(name)
      })
    }
    test('S2.12-4 every signed-in user, and nobody else, holds authenticated', async () => {
      const things = await api.model()
      const rules = [{ apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['list'] }]
      const ann = await person(api)
      await createRole(api, { rules, aggregatesTo: ['authenticated'] })
      await expectSoon(async () => expectStatus(await ann.request('GET', things.path), 200))
      expectStatus(await api.request('GET', things.path, { as: 'anonymous' }), 401)
    })
    test('S2.12-5 the super administrator has all permissions', async () => {
      const ann = await person(api, { roles: ['super-administrator'] })
      for (const verb of ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']) {
        const request = { verb, group: 'any.example.com', resource: 'things', subresource: 'parts', name: 'a' }
        expect(await review(ann, request)).toMatchObject({ allowed: true })
        expect(await review(ann, { verb, path: '/any/where' })).toMatchObject({ allowed: true })
      }
    })
    test('S2.12-6 the role super-administrator can be neither deleted nor edited, by any verb', async () => {
      const path = `${core}/roles/super-administrator`
      const headers = { 'content-type': mergePatch }
      const patch = { metadata: { labels: { 'a.example/b': 'c' } } }
      for (const answer of [
        await api.request('DELETE', path),
        await api.request('DELETE', `${core}/roles?fieldSelector=metadata.name=super-administrator`),
        await api.request('PUT', path, { body: roleOf('super-administrator', {}) }),
        await api.request('PATCH', path, { body: patch, headers }),
        await api.request('PATCH', path, { body: { rules: [] }, headers }),
      ]) {
        expectProblem(answer, 403, 'Forbidden')
      }
    })
    test('S2.12-7 visitor has the rights of anonymous and authenticated', async () => {
      expect(await whoCan({ verb: 'create', path: '/auth/sessions' })).toContain('visitor')
      expect(await whoCan({ verb: 'update', path: '/auth/password' })).toContain('visitor')
      expect(await whoCan({ verb: 'list', resource: 'roles' })).not.toContain('visitor')
    })
    for (const name of ['contributor', 'author', 'post-administrator']) {
      test(`S2.12-8 ${name} exists, without rules of its own and visible`, async () => {
        const role = await get(name)
        expect(role).toMatchObject({ metadata: { name }, rules: [] })
        expect(role.metadata.labels?.['platform.run/hidden']).toBeUndefined()
      })
    }
  })
})
