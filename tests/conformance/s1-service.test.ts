import type { RouteDeclaration } from '@pergola/api'
import { expect, test } from 'vitest'
import { bind, expectSoon, person } from './people.ts'
import { another, install, notesOf, notesPath, phaseIs } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

/** The paths of a custom API for each audience. */
const apisOf = (name: string) => ({
  console: `/apis/console.api.${name}.example.com/v1alpha1/notes/-/stats`,
  uc: `/apis/uc.api.${name}.example.com/v1alpha1/notes/-/mine`,
  public: `/apis/api.${name}.example.com/v1alpha1/notes/-/front`,
})
const definitionOf = (name: string) => {
  const apis = apisOf(name)
  const routes = (['console', 'uc', 'public'] as const).map((audience): RouteDeclaration => {
    return { audience, method: 'GET', path: apis[audience] }
  })
  return another(name, { models: [notesOf(name)], routes })
}
const answer = `(request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: request.url }))`

interface Template {
  readonly name: string
  readonly group: string
  readonly resource: string
  readonly verb: string
  readonly aggregatesTo?: string
}

const template = ({ name, group, resource, verb, aggregatesTo }: Template) => `
apiVersion: v1alpha1
kind: Role
metadata:
  name: ${name}
  labels:
    platform.run/role-template: "true"
    ${aggregatesTo === undefined ? '' : `rbac.authorization.platform.run/aggregate-to-${aggregatesTo}: "true"`}
rules: [{ apiGroups: [${group}], resources: [${resource}], verbs: [${verb}] }]
`

onEachEngine((api) => {
  const closed = once(async () => {
    expectStatus(await install(api, { definition: definitionOf('closed'), answer }), 201)
    await phaseIs(api, { phase: 'Started' }, 'closed')
  })

  test("S1-1 S1-3 objects of a plugin's model can be created, read, listed, updated and deleted, and survive a restart", async () => {
    await closed()
    const notes = notesPath('closed')
    const body = { metadata: { name: 'first' }, spec: { title: 'one' } }
    expectStatus(await api.request('POST', notes, { body }), 201)
    expectStatus(await api.request('PUT', `${notes}/first`, { body: { spec: { title: 'two' } } }), 200)
    const stored = (await api.request('GET', `${notes}/first`)).body
    expect(stored).toMatchObject({ kind: 'Note', metadata: { name: 'first' }, spec: { title: 'two' } })
    await api.restart()
    // The status that the previous server wrote may still be stored, so this waits for the API itself.
    await expectSoon(async () => expectStatus(await api.request('GET', notes), 200))
    expect((await api.request('GET', `${notes}/first`)).body).toEqual(stored)
    expect((await api.request('GET', notes)).body).toMatchObject({ items: [stored] })
    expectStatus(await api.request('DELETE', `${notes}/first`), 200)
    expectProblem(await api.request('GET', `${notes}/first`), 404, 'NotFound')
  })

  test('S1-5 only the super administrator may call the APIs of a plugin without role templates', async () => {
    await closed()
    const ann = await person(api)
    for (const path of [notesPath('closed'), ...Object.values(apisOf('closed'))]) {
      // Another test restarts the server.
      await expectSoon(async () => expectStatus(await api.request('GET', path), 200))
      expectProblem(await ann.request('GET', path), 403, 'Forbidden')
      expectProblem(await api.request('GET', path, { as: 'anonymous' }), 401, 'Unauthenticated')
    }
  })

  test('S1-6 role templates grant access to the APIs of a plugin, through role bindings and aggregation', async () => {
    const name = 'opened'
    const { uc, public: front } = apisOf(name)
    const group = `${name}.example.com`
    const roles = [
      template({ name: `${name}-view`, group, resource: 'notes', verb: 'list' }),
      template({
        name: `${name}-mine`,
        group: `uc.api.${group}`,
        resource: 'notes/mine',
        verb: 'get',
        aggregatesTo: 'authenticated',
      }),
      template({
        name: `${name}-front`,
        group: `api.${group}`,
        resource: 'notes/front',
        verb: 'get',
        aggregatesTo: 'anonymous',
      }),
    ]
    const files = { 'extensions/roles.yaml': roles.join('---') }
    expectStatus(await install(api, { definition: definitionOf(name), answer, files }), 201)
    await phaseIs(api, { phase: 'Started' }, name)
    const ann = await person(api)
    await expectSoon(async () => expectStatus(await api.request('GET', front, { as: 'anonymous' }), 200))
    await expectSoon(async () => expectStatus(await ann.request('GET', uc), 200))
    expectProblem(await api.request('GET', uc, { as: 'anonymous' }), 401, 'Unauthenticated')
    expectProblem(await ann.request('GET', notesPath(name)), 403, 'Forbidden')
    await bind(api, `${name}-view`, [ann.name])
    await expectSoon(async () => expectStatus(await ann.request('GET', notesPath(name)), 200))
    expectProblem(await ann.request('GET', apisOf(name).console), 403, 'Forbidden')
  })

  test('S4.2-6 S4.2-7 S4.2-8 a custom API is served only in the group of its audience', async () => {
    await closed()
    const apis = Object.values(apisOf('closed'))
    const prefixes = ['console.api.', 'uc.api.', 'api.', '']
    for (const [at, path] of apis.entries()) {
      const [, , , version = '', ...rest] = path.split('/')
      for (const [other, prefix] of prefixes.entries()) {
        const moved = ['', 'apis', `${prefix}closed.example.com`, version, ...rest].join('/')
        const answered = await api.request('GET', moved)
        if (other === at) expect(answered.body).toEqual({ path })
        else expectProblem(answered, 404, 'NotFound')
      }
    }
  })
})
