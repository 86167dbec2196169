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

  test('C7-30 C2-103 C1-44 a caller reads its roles and UI permissions, and again only when they have changed', async () => {
    const prefix = 'rbac.authorization.platform.run'
    const annotations = { [`${prefix}/ui-permissions`]: '["plugin:todo:view","plugin:todo:edit"]' }
    const body = { metadata: { generateName: 'role-', annotations }, rules: [] }
    const created = await api.request('POST', '/api/v1alpha1/roles', { body })
    const { name } = (created.body as { metadata: { name: string } }).metadata
    const ann = await person(api)
    const binding = await bind(api, name, [ann.name])
    await expectSoon(async () => {
      const answer = await ann.request('GET', `${own}/users/-/permissions`)
      expectStatus(answer, 200)
      expect(answer.body).toEqual({
        roles: [{ name: 'anonymous' }, { name: 'authenticated' }, { name, binding }],
        uiPermissions: ['plugin:todo:edit', 'plugin:todo:view'],
      })
      const headers = { 'if-none-match': String(answer.headers.etag) }
      expectStatus(await ann.request('GET', `${own}/users/-/permissions`, { headers }), 304)
    })
  })

  test('C7-31 a review says by which binding, role, way and rule something is allowed', async () => {
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

  test('C7-32 a review says which rule comes nearest, and what it misses by', async () => {
    const view = await createRole(api, { rules: [readTodos] })
    const ann = await person(api, { roles: [view] })
    await expectSoon(async () => {
      const [found] = await review(ann.token, { requests: [deleteTodo] })
      expect(found).toMatchObject({ allowed: false, nearest: { role: view, rule: readTodos, misses: ['verb'] } })
      expect(found?.text).toContain(`nearest is ${view}, which allows get, list but not delete`)
    })
  })

  test('C7-33 a review of somebody else takes the right to it', async () => {
    const view = await createRole(api, { rules: [readTodos] })
    const [ann, ben] = [await person(api, { roles: [view] }), await person(api)]
    const body = { user: ann.name, requests: [listTodos] }
    expectProblem(await ben.request('POST', `${own}/accessreviews`, { body }), 403, 'Forbidden')
    const answer = await api.request('POST', `${own}/accessreviews`, { body })
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ items: [{ allowed: true, by: { role: view } }] })
  })

  test('C7-34 reviews come in batches of up to 100', async () => {
    const many = (length: number) => ({ requests: Array.from({ length }, () => ({ verb: 'get', path: '/livez' })) })
    const answer = await api.request('POST', `${own}/accessreviews`, { body: many(100) })
    expectStatus(answer, 200)
    expect((answer.body as { items: unknown[] }).items).toHaveLength(100)
    expectProblem(await api.request('POST', `${own}/accessreviews`, { body: many(101) }), 422, 'Invalid')
  })

  test('C7-35 whocan names the roles that allow something, with the number of their bindings', async () => {
    const rule = { apiGroups: ['whocan.example.com'], resources: ['things'], verbs: ['get'] }
    const view = await createRole(api, { rules: [rule] })
    const manage = await createRole(api, { dependencies: [view] })
    await person(api, { roles: [manage] })
    await person(api, { roles: [manage] })
    const body = { verb: 'get', group: 'whocan.example.com', resource: 'things', name: 'a' }
    const answer = await api.request('POST', `${own}/whocan`, { body })
    expectStatus(answer, 200)
    const { roles } = answer.body as { roles: { name: string; bindings: number }[] }
    const counts = new Map(roles.map(({ name, bindings }) => [name, bindings]))
    expect([counts.get(view), counts.get(manage), counts.has('super-administrator')]).toEqual([0, 2, true])
    const ann = await person(api)
    expectProblem(await ann.request('POST', `${own}/whocan`, { body }), 403, 'Forbidden')
  })
})
