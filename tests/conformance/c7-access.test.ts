import { describe, expect, test } from 'vitest'
import { bind, bindingOf, core, createRole, login, person, roleOf, expectSoon, type Person } from './people.ts'
import { seededBinding } from '../end-to-end/seed-administrator.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

const rolesReader = { apiGroups: [''], resources: ['roles'], verbs: ['get', 'list'] }
const rolesEditor = { apiGroups: [''], resources: ['roles', 'rolebindings', 'users', 'users/password'], verbs: ['*'] }
const secretReader = { apiGroups: ['secret.example.com'], resources: ['secrets'], verbs: ['get'] }

async function expectMayList(who: Person, allowed: boolean): Promise<void> {
  expectStatus(await who.request('GET', `${core}/roles?size=1`), allowed ? 200 : 403)
}

onEachEngine((api) => {
  test('C7-1 S2.9-4 C1-38 a user has the rights of the roles it is bound to, until the binding is deleted', async () => {
    const reader = await createRole(api, { rules: [rolesReader] })
    const ann = await person(api)
    await expectMayList(ann, false)
    const binding = await bind(api, reader, [ann.name])
    await expectSoon(() => expectMayList(ann, true))
    expectStatus(await api.request('DELETE', `${core}/rolebindings/${binding}`), 200)
    await expectSoon(() => expectMayList(ann, false))
  })

  test('C7-2 a change of rights takes effect on every replica', async () => {
    const reader = await createRole(api, { rules: [rolesReader] })
    const ann = await person(api, { roles: [reader] })
    const there = await api.replica()
    const path = `${core}/roles?size=1`
    await expectSoon(async () => expectStatus(await there.request('GET', path, { token: ann.token }), 200))
    expectStatus(await api.request('PUT', `${core}/roles/${reader}`, { body: roleOf(reader, {}) }), 200)
    await expectSoon(async () => expectStatus(await there.request('GET', path, { token: ann.token }), 403))
  })

  test('C7-3 a role has the rights of its dependencies, transitively; a missing one grants nothing', async () => {
    const first = await createRole(api, { rules: [rolesReader] })
    const second = await createRole(api, { dependencies: [first, 'not-there'] })
    const third = await createRole(api, { dependencies: [second] })
    const ann = await person(api, { roles: [third] })
    await expectSoon(() => expectMayList(ann, true))
  })

  test('C7-4 every holder of a role has the rights that aggregate to it, while the label is true', async () => {
    const target = await createRole(api, {})
    const ann = await person(api, { roles: [target] })
    const source = await createRole(api, { rules: [rolesReader], aggregatesTo: [target] })
    const boundLater = await person(api, { roles: [target] })
    for (const who of [ann, boundLater]) await expectSoon(() => expectMayList(who, true))
    const patch = { metadata: { labels: { [`rbac.authorization.platform.run/aggregate-to-${target}`]: 'yes' } } }
    const headers = { 'content-type': 'application/merge-patch+json' }
    expectStatus(await api.request('PATCH', `${core}/roles/${source}`, { body: patch, headers }), 200)
    await expectSoon(() => expectMayList(ann, false))
  })

  describe('rejected role bindings', () => {
    test('C7-6 a role binding for a user that does not exist is rejected', async () => {
      const answer = await api.request('POST', `${core}/rolebindings`, { body: bindingOf('author', ['not-there']) })
      expectProblem(answer, 422, 'Invalid')
    })
    test('C7-6 the role of a role binding cannot be changed', async () => {
      const { name } = await person(api)
      const binding = await bind(api, 'author', [name])
      const body = bindingOf('visitor', [name], {})
      expectProblem(await api.request('PUT', `${core}/rolebindings/${binding}`, { body }), 422, 'Invalid')
    })
  })

  test('C7-7 C2-105 deleting a bound role, alone or in a collection, is 409 InUse', async () => {
    const bound = await createRole(api, {})
    const { name } = await person(api)
    const binding = await bind(api, bound, [name])
    expectProblem(await api.request('DELETE', `${core}/roles/${bound}`), 409, 'InUse')
    expectProblem(await api.request('DELETE', `${core}/roles?fieldSelector=metadata.name=${bound}`), 409, 'InUse')
    expectStatus(await api.request('DELETE', `${core}/rolebindings/${binding}`), 200)
    expectStatus(await api.request('DELETE', `${core}/roles/${bound}`), 200)
  })

  test('C7-8 built-in roles cannot be deleted', async () => {
    for (const name of [
      'anonymous',
      'authenticated',
      'super-administrator',
      'visitor',
      'contributor',
      'author',
      'post-administrator',
    ]) {
      expectProblem(await api.request('DELETE', `${core}/roles/${name}`), 403, 'Forbidden')
    }
  })

  for (const annotation of ['dependencies', 'ui-permissions']) {
    test(`C7-10 ${annotation} that are not a JSON array of strings are rejected`, async () => {
      for (const value of ['x', '{}', '[1]', '"a"']) {
        const annotations = { [`rbac.authorization.platform.run/${annotation}`]: value }
        const body = { metadata: { generateName: 'role-', annotations }, rules: [] }
        expectProblem(await api.request('POST', `${core}/roles`, { body }), 422, 'Invalid')
      }
    })
  }

  test('C7-11 deleting a user removes it from every binding and deletes bindings without other subjects', async () => {
    const [ann, ben] = [await person(api), await person(api)]
    const both = await bind(api, 'author', [ann.name, ben.name])
    const alone = await bind(api, 'visitor', [ann.name])
    expectStatus(await api.request('DELETE', `${core}/users/${ann.name}`), 200)
    expectStatus(await api.request('GET', `${core}/rolebindings/${alone}`), 404)
    const { body } = await api.request('GET', `${core}/rolebindings/${both}`)
    expect(body).toMatchObject({ subjects: [{ name: ben.name }] })
    await expectSoon(async () => expectStatus(await ann.request('GET', '/apis'), 401))
  })

  test('C7-12 the name of a deleted user cannot be used again', async () => {
    const { name } = await person(api)
    expectStatus(await api.request('DELETE', `${core}/users/${name}`), 200)
    expectProblem(await api.request('POST', `${core}/users`, { body: { metadata: { name } } }), 409, 'AlreadyExists')
  })

  test('C7-13 disabling a user ends its sessions and prevents new logins', async () => {
    const ann = await person(api, { hasPassword: true })
    await expectSoon(async () => expectStatus(await ann.request('GET', '/apis'), 200))
    expectStatus(await api.request('PUT', `${core}/users/${ann.name}`, { body: { spec: { disabled: true } } }), 200)
    await expectSoon(async () => expectStatus(await ann.request('GET', '/apis'), 401))
    expectProblem(await login(api, { username: ann.name }), 401, 'Unauthenticated')
  })

  describe('the last super administrator', () => {
    const superAdministrator = 'super-administrator'
    const bindings = `${core}/rolebindings`
    /** Creates a super administrator; returns the API with its token. */
    async function administrator(by: Api): Promise<Api & { readonly name: string; readonly binding: string }> {
      const { name, token } = await person(by)
      const binding = await bind(by, superAdministrator, [name])
      const request: Api['request'] = (method, path, sent) => api.request(method, path, { token, ...sent })
      await expectSoon(async () => expectStatus(await request('GET', bindings), 200))
      return { ...api, request, name, binding }
    }
    /** Creates the only super administrator; `restore` makes the usual one of the tests an administrator again. */
    async function lastOne() {
      const last = await administrator(api)
      const { body } = await last.request('GET', `${bindings}?fieldSelector=roleRef.name=${superAdministrator}`)
      for (const { metadata } of (body as { items: { metadata: { name: string } }[] }).items) {
        if (metadata.name === last.binding) continue
        expectStatus(await last.request('DELETE', `${bindings}/${metadata.name}`), 200)
      }
      return last
    }
    async function restore(by: Api): Promise<void> {
      const body = bindingOf(superAdministrator, ['admin'], { name: seededBinding })
      expectStatus(await by.request('POST', bindings, { body }), 201)
      await expectSoon(async () => expectStatus(await api.request('GET', bindings), 200))
    }
    test('C7-14 the binding of the last super administrator can be neither deleted nor given to a disabled user', async () => {
      const last = await lastOne()
      const binding = `${bindings}/${last.binding}`
      expectProblem(await last.request('DELETE', binding), 409, 'InUse')
      const other = await person(last)
      const disabled = { body: { spec: { disabled: true } } }
      expectStatus(await last.request('PUT', `${core}/users/${other.name}`, disabled), 200)
      const handedOn = { body: bindingOf(superAdministrator, [other.name], {}) }
      expectProblem(await last.request('PUT', binding, handedOn), 409, 'InUse')
      await restore(last)
      expectStatus(await last.request('PUT', binding, handedOn), 200)
    })
    test('C7-14 the last super administrator can be neither deleted nor disabled', async () => {
      const last = await lastOne()
      const body = { spec: { disabled: true } }
      expectProblem(await last.request('DELETE', `${core}/users/${last.name}`), 409, 'InUse')
      expectProblem(await last.request('PUT', `${core}/users/${last.name}`, { body }), 409, 'InUse')
      await restore(last)
    })
    test('C7-14 when two administrators delete each other concurrently, one of them stays', async () => {
      let last = await lastOne()
      for (let round = 0; round < 5; round++) {
        const other = await administrator(last)
        const [removed, remains] = await Promise.all([
          last.request('DELETE', `${core}/users/${other.name}`),
          other.request('DELETE', `${core}/users/${last.name}`),
        ])
        expect([removed, remains].filter(({ status }) => status === 200)).toHaveLength(1)
        if (remains.status === 200) last = other
      }
      await restore(last)
    })
  })

  describe('nobody can grant more than they hold', () => {
    const editor = async () => person(api, { roles: [await createRole(api, { rules: [rolesEditor] })] })
    async function expectForbidden(who: Person, method: string, path: string, body: object): Promise<void> {
      await expectSoon(async () =>
        expectProblem(await who.request(method, `${core}/${path}`, { body }), 403, 'EscalationForbidden'),
      )
    }
    test('C7-15 a role with rules that its writer does not hold is rejected', async () => {
      const eve = await editor()
      await expectForbidden(eve, 'POST', 'roles', roleOf('eve-own', { rules: [secretReader] }))
      const body = roleOf('eve-may', { rules: [rolesReader] })
      expectStatus(await eve.request('POST', `${core}/roles`, { body }), 201)
      await expectForbidden(eve, 'PUT', 'roles/eve-may', roleOf('eve-may', { rules: [rolesReader, secretReader] }))
      expectStatus(await api.request('DELETE', `${core}/roles/eve-may`), 200)
    })
    test('C7-15 a role that depends on a stronger role is rejected', async () => {
      const eve = await editor()
      const strong = await createRole(api, { rules: [secretReader] })
      await expectForbidden(eve, 'POST', 'roles', roleOf('eve-own', { dependencies: [strong] }))
    })
    test('C7-15 aggregation that grants more than its writer holds is rejected, in both directions', async () => {
      const eve = await editor()
      await expectForbidden(
        eve,
        'POST',
        'roles',
        roleOf('eve-own', { rules: [secretReader], aggregatesTo: ['visitor'] }),
      )
      await createRole(api, { rules: [secretReader], aggregatesTo: ['eve-target'] })
      await expectForbidden(eve, 'POST', 'roles', roleOf('eve-target', {}))
    })
    test('C7-15 creating a role that others already depend on is checked by what they gain', async () => {
      const eve = await editor()
      const dependent = await createRole(api, { dependencies: ['eve-named'] })
      await person(api, { roles: [dependent] })
      await expectForbidden(eve, 'POST', 'roles', roleOf('eve-named', { rules: [secretReader] }))
    })
    test('C7-15 a role binding to a stronger role is rejected, for oneself and for others', async () => {
      const eve = await editor()
      const strong = await createRole(api, { rules: [secretReader] })
      await expectForbidden(eve, 'POST', 'rolebindings', bindingOf(strong, [eve.name]))
      await expectForbidden(eve, 'POST', 'rolebindings', bindingOf('super-administrator', [eve.name]))
      const ben = await person(api)
      const binding = await bind(api, strong, [ben.name])
      await expectForbidden(eve, 'PUT', `rolebindings/${binding}`, bindingOf(strong, [ben.name, eve.name], {}))
    })
    test('C7-15 setting the password of a stronger user, disabling or deleting it is rejected', async () => {
      const eve = await editor()
      const strong = await person(api, { roles: [await createRole(api, { rules: [secretReader] })] })
      await expectForbidden(eve, 'PUT', `users/${strong.name}/password`, { password: 'known to eve' })
      await expectForbidden(eve, 'PUT', `users/${strong.name}`, { spec: { disabled: true } })
      expectProblem(await eve.request('DELETE', `${core}/users/${strong.name}`), 403, 'EscalationForbidden')
      const weak = await person(api)
      expectStatus(
        await eve.request('PUT', `${core}/users/${weak.name}/password`, { body: { password: 'known to eve' } }),
        200,
      )
    })
  })
})
