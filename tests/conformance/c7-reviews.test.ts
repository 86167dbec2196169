import { expect, test } from 'vitest'
import { bind, createRole, expectSoon, person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const own = '/apis/api.platform.run/v1alpha1'
const readTodos = { apiGroups: ['todo.example.com'], resources: ['todos'], verbs: ['get', 'list'] }
const listTodos = { verb: 'list', group: 'todo.example.com', resource: 'todos' }
const deleteTodo = { verb: 'delete', group: 'todo.example.com', resource: 'todos', name: 'milk' }

interface Review {
  readonly allowed: boolean
  readonly text: string
  readonly by?: { readonly role: string; readonly binding: string }
}

onEachEngine((api) => {
  const review = async (token: string, body: object) => {
    const answer = await api.request('POST', `${own}/accessreviews`, { token, body })
    expectStatus(answer, 200)
    return (answer.body as { items: Review[] }).items
  }

  test('C7-30 C1-44 a caller reads its roles and UI permissions, with 304 for the current ETag', async () => {
    const prefix = 'rbac.authorization.platform.run'
    const annotations = {
      [`${prefix}/display-name`]: 'Editors',
      [`${prefix}/ui-permissions`]: '["plugin:todo:view","plugin:todo:edit"]',
    }
    const body = { metadata: { generateName: 'role-', annotations }, rules: [] }
    const created = await api.request('POST', '/api/v1alpha1/roles', { body })
    const { name } = (created.body as { metadata: { name: string } }).metadata
    const ann = await person(api)
    const binding = await bind(api, name, [ann.name])
    await expectSoon(async () => {
      const answer = await ann.request('GET', `${own}/users/-/permissions`)
      expectStatus(answer, 200)
      expect(answer.body).toEqual({
        username: ann.name,
        roles: [
          { name: 'anonymous', displayName: 'Every visitor' },
          { name: 'authenticated', displayName: 'Every signed-in user' },
          { name, displayName: 'Editors', binding },
        ],
        uiPermissions: ['plugin:todo:edit', 'plugin:todo:view'],
      })
      const headers = { 'if-none-match': String(answer.headers.etag) }
      expectStatus(await ann.request('GET', `${own}/users/-/permissions`, { headers }), 304)
    })
  })

  test('C7-110 a super administrator has all existing UI permissions', async () => {
    const annotations = { 'rbac.authorization.platform.run/ui-permissions': '["plugin:c7-110:see"]' }
    const body = { metadata: { name: 'c7-110', annotations }, rules: [] }
    expectStatus(await api.request('POST', '/api/v1alpha1/roles', { body }), 201)
    const chief = await person(api, { roles: ['super-administrator'] })
    await expectSoon(async () => {
      const { body: held } = await chief.request('GET', `${own}/users/-/permissions`)
      expect((held as { uiPermissions: readonly string[] }).uiPermissions).toContain('plugin:c7-110:see')
    })
  })

  test('C7-111 users can read their profile and change only display name and e-mail address', async () => {
    const ann = await person(api)
    const profile = `${own}/users/-`
    const patch = (body: object) =>
      ann.request('PATCH', profile, { body, headers: { 'content-type': 'application/merge-patch+json' } })
    const read = await ann.request('GET', profile)
    expectStatus(read, 200)
    expect(read.body).toEqual({
      name: ann.name,
      uid: expect.any(String) as string,
      roles: ['anonymous', 'authenticated'],
    })
    const changed = await patch({ displayName: 'Ann', email: 'ann@example.com' })
    expectStatus(changed, 200)
    expect(changed.body).toMatchObject({ name: ann.name, displayName: 'Ann', email: 'ann@example.com' })
    expectStatus(await patch({ email: null }), 200)
    expect((await ann.request('GET', profile)).body).toMatchObject({ displayName: 'Ann' })
    expect((await ann.request('GET', profile)).body).not.toHaveProperty('email')
    for (const body of [{ disabled: false }, { roles: ['super-administrator'] }, { name: 'eve' }, { email: 'no' }]) {
      expectProblem(await patch(body), 422, 'Invalid')
    }
    expectStatus(await api.request('GET', profile, { as: 'anonymous' }), 401)
  })

  test('C7-31 an access review names the binding, role, dependency and rule that allow a request', async () => {
    const view = await createRole(api, { rules: [readTodos] })
    const manage = await createRole(api, { dependencies: [view] })
    const ann = await person(api)
    const binding = await bind(api, manage, [ann.name])
    await expectSoon(async () => {
      const [found] = await review(ann.token, { requests: [listTodos] })
      expect(found).toMatchObject({
        allowed: true,
        by: { role: manage, binding, path: [{ by: 'dependency', role: view }], index: 0, rule: readTodos },
      })
      expect(found?.text).toBe(
        `${ann.name} may list todos in todo.example.com: bound to ${manage} by rolebinding ${binding}; ` +
          `${manage} depends on ${view}; its rule allows get, list on todos`,
      )
    })
  })

  test('C7-32 an access review of a denied request names the nearest rule and what does not match', async () => {
    const view = await createRole(api, { rules: [readTodos] })
    const ann = await person(api, { roles: [view] })
    await expectSoon(async () => {
      const [found] = await review(ann.token, { requests: [deleteTodo] })
      expect(found).toMatchObject({ allowed: false, nearest: { role: view, rule: readTodos, misses: ['verb'] } })
      expect(found?.text).toContain(`nearest is ${view}, which allows get, list but not delete`)
    })
  })

  test('C7-33 an access review for another user requires a right of its own', async () => {
    const view = await createRole(api, { rules: [readTodos] })
    const [ann, ben] = [await person(api, { roles: [view] }), await person(api)]
    const body = { user: ann.name, requests: [listTodos] }
    expectProblem(await ben.request('POST', `${own}/accessreviews`, { body }), 403, 'Forbidden')
    const answer = await api.request('POST', `${own}/accessreviews`, { body })
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ items: [{ allowed: true, by: { role: view } }] })
  })

  test('C7-34 a request accepts 100 access reviews and rejects 101', async () => {
    const many = (length: number) => ({ requests: Array.from({ length }, () => ({ verb: 'get', path: '/livez' })) })
    const answer = await api.request('POST', `${own}/accessreviews`, { body: many(100) })
    expectStatus(answer, 200)
    expect((answer.body as { items: unknown[] }).items).toHaveLength(100)
    expectProblem(await api.request('POST', `${own}/accessreviews`, { body: many(101) }), 422, 'Invalid')
  })

  test('C7-35 whocan names the roles that allow a request, with the number of their bindings', async () => {
    const rule = { apiGroups: ['whocan.example.com'], resources: ['things'], verbs: ['get'] }
    const view = await createRole(api, { rules: [rule] })
    const manage = await createRole(api, { dependencies: [view] })
    await person(api, { roles: [manage] })
    await person(api, { roles: [manage] })
    const asked = { verb: 'get', group: 'whocan.example.com', resource: 'things', name: 'a' }
    const body = { requests: [asked, { ...asked, verb: 'delete' }] }
    const answer = await api.request('POST', `${own}/whocan`, { body })
    expectStatus(answer, 200)
    const { items } = answer.body as { items: { roles: { name: string; bindings: number }[] }[] }
    const counts = new Map(items[0]?.roles.map(({ name, bindings }) => [name, bindings]))
    expect(items[1]?.roles.map(({ name }) => name)).toEqual(['super-administrator'])
    expectStatus(
      await api.request('POST', `${own}/whocan`, { body: { requests: Array.from({ length: 101 }, () => asked) } }),
      422,
    )
    expect([counts.get(view), counts.get(manage), counts.has('super-administrator')]).toEqual([0, 2, true])
    const ann = await person(api)
    expectProblem(await ann.request('POST', `${own}/whocan`, { body }), 403, 'Forbidden')
  })
})
