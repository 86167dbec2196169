import { describe, expect, test } from 'vitest'
import { createRole, person } from './people.ts'
import { another, install, phaseIs, plugins, restart, todoGroup, todos } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

/** Forwards requests to the host and returns the responses; exits or sends garbage on request. */
const answer = `async (request, response, ask) => {
  const url = new URL(request.url, 'http://host')
  const say = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
  if (url.searchParams.has('exit')) return process.exit(3)
  if (url.searchParams.has('garbage')) return response.socket.end('no HTTP at all')
  if (url.pathname.endsWith('/echo')) return say({ path: url.pathname, method: request.method })
  if (url.pathname.endsWith('/stats')) return say({ path: url.pathname, method: request.method })
  let text = ''
  for await (const chunk of request) text += chunk
  const { path, ...options } = JSON.parse(text)
  return say(await ask(path, options))
}`

const declared = (title: string) => `
apiVersion: ${todoGroup}/v1alpha1
kind: Todo
metadata: { name: declared, annotations: { todo.example.com/by: file } }
spec: { title: ${title} }
---
apiVersion: v1alpha1
kind: Role
metadata: { name: todo-reader, labels: { platform.run/role-template: "true" } }
rules: [{ apiGroups: [${todoGroup}], resources: [todo/todos], verbs: [get] }]
`
const elsewhere = `
apiVersion: ${todoGroup}/v1alpha1
kind: Todo
metadata: { name: elsewhere }
spec: { title: in the other folder }
`
const files = {
  'extensions/of/any-name.yml': declared('as it is declared'),
  'src/main/resources/extensions/more.yaml': elsewhere,
}
const share = `/apis/uc.api.${todoGroup}/v1alpha1/todos/-/share`
const echo = `/apis/api.${todoGroup}/v1alpha1/echo`

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await install(api, { answer, files }), 201)
    await phaseIs(api, { phase: 'Started' })
  })
  const create = (spec: object, metadata: object = { generateName: 'todo-' }) =>
    api.request('POST', todos, { body: { metadata, spec } })
  const names = async (selector: string) => {
    const { body } = await api.request('GET', `${todos}?fieldSelector=${encodeURIComponent(selector)}`)
    return (body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] }).items.map(
      (item) => item.metadata.name,
    )
  }
  /** The host's response to a request that the plugin sends as itself. */
  const asPlugin = async (method: string, path: string, body?: object) => {
    await installed()
    const answered = await api.request('POST', share, { body: { path, method, body } })
    expectStatus(answered, 200)
    return answered.body as { readonly status: number; readonly body: Record<string, unknown> }
  }

  test('C1-40 plugins are objects that can be read and listed', async () => {
    await installed()
    const { body } = await api.request('GET', `${plugins}/todo`)
    expect(body).toMatchObject({ kind: 'Plugin', spec: { enabled: true, version: '1.0.0', groups: [todoGroup] } })
    const { body: list } = await api.request('GET', plugins)
    expect((list as { readonly total: number }).total).toBeGreaterThan(0)
  })

  describe('reserved for the platform', () => {
    for (const group of ['one.platform.run', 'a.one.platform.run', 'platform.run', '']) {
      test(`S2.1-10 a plugin cannot claim the reserved group "${group}"`, async () => {
        const refused = await install(api, { definition: another('one', { groups: [group] }) })
        expectProblem(refused, 422, 'Invalid')
        expect((refused.body as { readonly detail: string }).detail).toContain(`claims the group "${group}"`)
      })
    }

    test('S5-18 a plugin cannot define resource APIs under /api', async () => {
      const route = { audience: 'public' as const, method: 'GET' as const, path: '/api/v1alpha1/mine' }
      expectProblem(await install(api, { definition: another('two', { routes: [route] }) }), 422, 'Invalid')
    })

    test('S4.2-9 a route of 7 segments is accepted, one of more is rejected', async () => {
      const base = '/apis/api.three.example.com/v1alpha1/a/b/c'
      const routes = (path: string) => [{ audience: 'public' as const, method: 'GET' as const, path }]
      expectProblem(
        await install(api, { definition: another('three', { routes: routes(`${base}/d/e`) }) }),
        422,
        'Invalid',
      )
      expectStatus(await install(api, { definition: another('three', { routes: routes(`${base}/d`) }) }), 201)
    })

    test('S2.8-9 a role template whose name does not start with the plugin name is rejected', async () => {
      const role = declared('x').replaceAll('todo-reader', 'other-reader').split('---')[1] ?? ''
      const definition = another('four')
      const roles = role.replaceAll(todoGroup, 'four.example.com')
      await install(api, { definition, files: { 'extensions/roles.yaml': roles } })
      await phaseIs(
        api,
        { phase: 'Failed', message: expect.stringContaining('must begin with "four-"') as string },
        'four',
      )
      expectStatus(await api.request('GET', '/api/v1alpha1/roles/other-reader'), 404)
    })

    test('S2.6-10 a plugin cannot write keys without a prefix', async () => {
      const body = { metadata: { name: 'keyed', labels: { plain: 'x' } }, spec: {} }
      const { status, body: problem } = await asPlugin('POST', todos, body)
      expect({ status, problem }).toMatchObject({ status: 422, problem: { errors: [{ rule: 'reserved' }] } })
      expectStatus(await api.request('POST', todos, { body }), 201)
    })

    test('C8-451 a plugin can add only finalizers that begin with one of its groups', async () => {
      const body = (finalizers: readonly string[]) => ({ metadata: { generateName: 'held-', finalizers }, spec: {} })
      for (const finalizer of ['cleanup', 'other.example.com/cleanup', `x${todoGroup}/cleanup`]) {
        const { status, body: problem } = await asPlugin('POST', todos, body([finalizer]))
        expect({ status, problem }).toMatchObject({
          status: 422,
          problem: { errors: [{ pointer: '/metadata/finalizers/0', rule: 'reserved' }] },
        })
      }
      expect((await asPlugin('POST', todos, body([`${todoGroup}/cleanup`]))).status).toBe(201)
      const made = await api.request('POST', todos, { body: body(['cleanup']) })
      expectStatus(made, 201)
      const { name } = (made.body as { readonly metadata: { readonly name: string } }).metadata
      const labels = { [`${todoGroup}/a`]: 'b' }
      const changed = { metadata: { name, labels, finalizers: ['cleanup'] }, spec: {} }
      expect((await asPlugin('PUT', `${todos}/${name}`, changed)).status).toBe(200)
    })

    test('S2.6-11 a plugin cannot write keys with reserved prefixes', async () => {
      for (const key of ['platform.run/x', 'x.platform.run/y']) {
        const body = { metadata: { generateName: 'a-', annotations: { [key]: 'x' } }, spec: {} }
        expect((await asPlugin('POST', todos, body)).status).toBe(422)
      }
      const own = { metadata: { generateName: 'a-', labels: { 'todo.example.com/x': 'y' } }, spec: {} }
      expect((await asPlugin('POST', todos, own)).status).toBe(201)
    })
  })

  describe('declarations of a plugin', () => {
    test('S2.1-11 a model is registered at the first start of its plugin and unchanged by later starts', async () => {
      await installed()
      expectStatus(await api.request('GET', todos), 200)
      const registered = async () => {
        const { body } = await api.request('GET', '/apis/plugin.platform.run/v1alpha1/models')
        const { items } = body as { readonly items: readonly { readonly spec: { readonly group: string } }[] }
        return items.filter(({ spec }) => spec.group === todoGroup)
      }
      const before = await registered()
      expect(before).toHaveLength(1)
      await restart(api)
      expect(await registered()).toEqual(before)
    })

    test('S2.5-1 S2.5-2 S2.5-3 S2.5-4 S2.5-6 objects in files of any name, several in a file, are created at start', async () => {
      await installed()
      const { body } = await api.request('GET', `${todos}/declared`)
      expect(body).toMatchObject({ kind: 'Todo', spec: { title: 'as it is declared' } })
      const { body: role } = await api.request('GET', '/api/v1alpha1/roles/todo-reader')
      expect(role).toMatchObject({ kind: 'Role', rules: [{ resources: ['todo/todos'] }] })
    })

    test('S2.5-7 objects in src/main/resources/extensions are created at start', async () => {
      await installed()
      const { body } = await api.request('GET', `${todos}/elsewhere`)
      expect(body).toMatchObject({ kind: 'Todo', spec: { title: 'in the other folder' } })
    })

    test('S2.5-5 declared objects overwrite the stored objects on every start', async () => {
      await installed()
      await api.request('PUT', `${todos}/declared`, { body: { spec: { title: 'changed by hand' } } })
      await restart(api)
      const { body } = await api.request('GET', `${todos}/declared`)
      expect(body).toMatchObject({ spec: { title: 'as it is declared' } })
    })

    test('S2.9-10 a rule on <plugin>/<plural> covers the model of the plugin', async () => {
      await installed()
      const reader = await person(api, { roles: ['todo-reader'] })
      await expect.poll(async () => (await reader.request('GET', `${todos}/declared`)).status).toBe(200)
      expectStatus(await reader.request('DELETE', `${todos}/declared`), 403)
    })

    test('C1-48 POST on a sub-resource is create on <plural>/<sub> with that name, - included', async () => {
      await installed()
      const rules = [
        { apiGroups: [`uc.api.${todoGroup}`], resources: ['todos/share'], resourceNames: ['-'], verbs: ['create'] },
      ]
      const sharer = await person(api, { roles: [await createRole(api, { rules })] })
      const body = { path: `${todos}/declared`, method: 'GET' }
      await expect.poll(async () => (await sharer.request('POST', share, { body })).status).toBe(200)
      expectStatus(await sharer.request('POST', share.replace('/-/', '/declared/'), { body }), 403)
    })
  })

  describe('index functions and checks', () => {
    test('S2.7-14 S2.7-16 C4-42 C4-43 a multi-value function index contains the strings that the function returns, or none', async () => {
      await installed()
      await create({ title: 'Apples and pears' }, { name: 'fruit' })
      await create({}, { name: 'untitled' })
      expect(await names('words=pears')).toEqual(['fruit'])
      expect(await names('words=(apples,pears)')).toEqual(['fruit'])
      expect(await names('words=plums')).toEqual([])
    })

    test('S2.7-15 a single-value index function may return null', async () => {
      await installed()
      await create({ title: 'Zebra crossing' }, { name: 'zebra' })
      expectStatus(await create({}, { name: 'nothing' }), 201)
      expect(await names('first=zebra')).toEqual(['zebra'])
      const { body } = await api.request('GET', `${todos}?sort=first,asc&size=1`)
      expect(body).toMatchObject({ items: [{ spec: {} }] })
    })

    test('C2-96 C2-97 a check receives verb, caller and stored object, and its errors are 422', async () => {
      await installed()
      const { name } = ((await create({ title: 'fine' })).body as { metadata: { name: string } }).metadata
      const refused = await api.request('PUT', `${todos}/${name}`, { body: { spec: { title: 'never' } } })
      expectProblem(refused, 422, 'Invalid')
      const [error] = (refused.body as { errors: { rule: string; field: string; message: string }[] }).errors
      expect(error).toMatchObject({ rule: 'check', field: 'spec.title' })
      expect(error?.message).toMatch(/^never update by \S+ after fine$/)
    })

    test('C2-99 a check that takes longer than a second is 504', async () => {
      await installed()
      expectProblem(await create({ title: 'slow' }), 504, 'PluginTimeout')
    })

    test('C2-100 C2-101 removing the last finalizer calls neither check nor function indexes', async () => {
      await installed()
      const held = { name: 'held', finalizers: ['todo.example.com/hold'] }
      expectStatus(await create({ title: 'held' }, held), 201)
      await api.request('DELETE', `${todos}/held`)
      await restart(api)
      const asked = await logged()
      const headers = { 'content-type': 'application/merge-patch+json' }
      const released = await api.request('PATCH', `${todos}/held`, { headers, body: { metadata: { finalizers: [] } } })
      expectStatus(released, 200)
      expectStatus(await api.request('GET', `${todos}/held`), 404)
      expect(await logged()).toBe(asked)
    })
    const logged = async () => {
      const { body } = await api.request('GET', '/apis/console.api.platform.run/v1alpha1/plugins/todo/logs')
      return (body as { readonly items: readonly string[] }).items.filter((line) => line.startsWith('asked')).length
    }

    test('C2-102 concurrent evaluations are sent in batches', async () => {
      await installed()
      const before = await logged()
      await Promise.all(Array.from({ length: 40 }, (_, at) => create({ title: `many ${at}` })))
      expect((await logged()) - before).toBeLessThan(20)
    })
  })

  describe('a plugin that does not answer', () => {
    test('C5-36 a plugin that does not answer with HTTP is 502', async () => {
      await installed()
      expectProblem(await api.request('GET', `${echo}?garbage`), 502, 'PluginFailed')
    })

    test('C1-49 the custom API and the model of a plugin that is not started are 503, never 404', async () => {
      await installed()
      const headers = { 'content-type': 'application/merge-patch+json' }
      await api.request('PATCH', `${plugins}/todo`, { headers, body: { spec: { enabled: false } } })
      await phaseIs(api, { phase: 'Disabled' })
      expectProblem(await api.request('GET', echo), 503, 'PluginNotStarted')
      expectProblem(await api.request('GET', todos), 503, 'PluginNotStarted')
      await api.request('PATCH', `${plugins}/todo`, { headers, body: { spec: { enabled: true } } })
      await phaseIs(api, { phase: 'Started' })
      expectStatus(await api.request('GET', echo), 200)
    })
  })
})
