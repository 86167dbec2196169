import type { JsonSchema, ModelDeclaration } from '@pergola/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, packages, plugins, startHost, type PluginHost } from './plugin-host.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'

/** A plugin, once through its life. */
const todos = '/apis/todo.example.com/v1alpha1/todos'
const echo = '/apis/api.todo.example.com/v1alpha1/echo'

/** Says what it was handed, counts todos, acts in the caller's name, and ends when it is told to. */
const answer = `async (request, response, ask) => {
  const { url, method, headers } = request
  const caller = { 'pergola-caller-token': headers['pergola-caller-token'] }
  const say = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
  if (url.endsWith('/echo?exit')) return process.exit(3)
  if (url.includes('/echo')) return say({ url, method, headers })
  if (url.endsWith('/stats')) return say(await ask('${todos}'))
  if (url.endsWith('/share')) return say({
    asPlugin: (await ask('${todos}/milk')).status,
    asCaller: (await ask('${todos}/milk', caller)).status,
    elsewhere: (await ask('/api/v1alpha1/users')).status,
    made: (await ask('${todos}', { method: 'POST', body: { metadata: { name: 'made' }, spec: {} } })).status,
  })
}`

describe.each(engines)('on %s', (engine) => {
  let host: PluginHost
  let admin: string
  const send: PluginHost['send'] = (line, options) => host.send(line, options)
  const phaseIs = (expected: object) => host.phaseIs('todo', expected)

  beforeAll(async () => {
    host = await startHost(engine)
    admin = host.admin
  })
  afterAll(() => host[Symbol.asyncDispose]())

  test('it is installed, its model served, its API reached, and it acts with its own rights and those of callers', async () => {
    const roles = `
apiVersion: v1alpha1
kind: Role
metadata:
  name: todo-share
  labels:
    platform.run/role-template: "true"
    rbac.authorization.platform.run/aggregate-to-authenticated: "true"
rules:
  - { apiGroups: [uc.api.todo.example.com], resources: [todos/share], verbs: [create] }
---
apiVersion: v1alpha1
kind: Role
metadata:
  name: todo-echo
  labels:
    platform.run/role-template: "true"
    rbac.authorization.platform.run/aggregate-to-anonymous: "true"
rules:
  - { apiGroups: [api.todo.example.com], resources: [todo/echo], verbs: [list] }
`
    const sent = pluginPackage({ answer, files: { 'extensions/roles.yaml': roles } })
    expect((await send(`POST ${packages}`, { body: sent })).status).toBe(401)
    const plan = await send(`POST ${packages}?plan=true`, { token: admin, body: sent })
    expect(plan.body['approvals']).toEqual([
      'todo-share into authenticated',
      'todo-echo into anonymous',
      'public: GET /apis/api.todo.example.com/v1alpha1/echo',
    ])
    expect((await send(`GET ${plugins}/todo`, { token: admin })).status).toBe(404)
    const half = new URLSearchParams({ approve: 'todo-share into authenticated' })
    expect(await send(`POST ${packages}?${String(half)}`, { token: admin, body: sent })).toMatchObject({
      status: 422,
      body: {
        errors: [
          { rule: 'approval', message: 'todo-echo into anonymous' },
          { rule: 'approval', message: 'public: GET /apis/api.todo.example.com/v1alpha1/echo' },
        ],
      },
    })
    const installed = await host.install(sent)
    expect(installed).toMatchObject({ status: 201, body: { spec: { enabled: true, version: '1.0.0' } } })
    await phaseIs({ phase: 'Started' })

    const milk = { metadata: { name: 'milk' }, spec: { title: 'Buy milk', state: 'open' } }
    expect((await send(`POST ${todos}`, { token: admin, body: milk })).status).toBe(201)
    expect((await send(`GET ${todos}?fieldSelector=spec.state=open`, { token: admin })).body['items']).toHaveLength(1)
    expect((await send(`GET ${todos}`)).status).toBe(401)

    const stats = await send('GET /apis/console.api.todo.example.com/v1alpha1/todos/-/stats', { token: admin })
    expect(stats.body).toMatchObject({ status: 200, body: { items: [{ metadata: { name: 'milk' } }] } })

    const heard = await send(`GET ${echo}?a=b`)
    expect(heard.body).toMatchObject({ url: `${echo}?a=b`, method: 'GET' })
    expect(Object.keys(heard.body['headers'] ?? {})).not.toContain('cookie')
    expect(heard.body['headers']).not.toHaveProperty('pergola-caller')
    expect((await send(`GET ${echo}`, { token: admin })).body['headers']).toHaveProperty('pergola-caller', 'admin')
    expect((await send(`POST ${echo}`, { token: admin })).status).toBe(405)
    expect((await send(`GET ${echo}/x`, { token: admin })).status).toBe(404)

    const ann = await host.user('ann')
    const share = 'POST /apis/uc.api.todo.example.com/v1alpha1/todos/milk/share'
    expect((await send(share)).status).toBe(401)
    expect((await send(share, { token: ann })).body).toEqual({
      asPlugin: 200,
      asCaller: 403,
      elsewhere: 403,
      made: 201,
    })
    expect((await send(share, { token: admin })).body).toMatchObject({ asPlugin: 200, asCaller: 200 })
  })

  test('it says what is indexed by its functions, and what may not be written', async () => {
    const body = (title: string) => ({ metadata: { generateName: 'todo-' }, spec: { title, state: 'open' } })
    const found = await send(`GET ${todos}?fieldSelector=words=milk`, { token: admin })
    expect(found.body['items']).toMatchObject([{ metadata: { name: 'milk' } }])
    expect((await send(`GET ${todos}?fieldSelector=words=bread`, { token: admin })).body['items']).toEqual([])
    await send(`PUT ${todos}/milk`, { token: admin, body: body('Buy bread') })
    expect((await send(`GET ${todos}?fieldSelector=words=bread`, { token: admin })).body['items']).toHaveLength(1)
    expect((await send(`GET ${todos}?fieldSelector=words=milk`, { token: admin })).body['items']).toEqual([])
    const never = (message: string) => ({
      status: 422,
      body: { errors: [{ field: 'spec.title', rule: 'check', message }] },
    })
    const created = await send(`POST ${todos}`, { token: admin, body: body('never') })
    expect(created).toMatchObject(never('never create by admin'))
    const updated = await send(`PUT ${todos}/milk`, { token: admin, body: body('never') })
    expect(updated).toMatchObject(never('never update by admin after Buy bread'))
    expect(await send(`POST ${todos}`, { token: admin, body: body('throws') })).toMatchObject({
      status: 502,
      body: { reason: 'PluginFailed' },
    })
    expect(await send(`POST ${todos}`, { token: admin, body: body('slow') })).toMatchObject({
      status: 504,
      body: { reason: 'PluginTimeout' },
    })
  })

  test('one that ends is started again, and meanwhile its model is served', async () => {
    expect((await send(`GET ${echo}?exit`)).status).toBe(502)
    await phaseIs({ phase: 'NotStarted', reason: 'BackingOff', message: expect.stringContaining('ended with code 3') })
    expect((await send(`GET ${todos}`, { token: admin })).status).toBe(200)
    expect(await send(`GET ${echo}`)).toMatchObject({ status: 503, body: { reason: 'PluginNotStarted' } })
    const written = await send(`POST ${todos}`, { token: admin, body: { metadata: { name: 'eggs' }, spec: {} } })
    expect(written).toMatchObject({ status: 503, body: { reason: 'PluginNotStarted' } })
    await phaseIs({ phase: 'Started' })
    expect((await send(`GET ${echo}`)).status).toBe(200)
    const { body } = await send('GET /apis/console.api.platform.run/v1alpha1/plugins/todo/logs', { token: admin })
    expect(body['items']).toContain('todo is up')
  })

  test('one that is disabled answers nothing, and comes back as it was', async () => {
    const type = 'application/merge-patch+json'
    const enable = (enabled: boolean) =>
      send(`PATCH ${plugins}/todo`, { token: admin, type, body: { spec: { enabled } } })
    expect((await enable(false)).status).toBe(200)
    await phaseIs({ phase: 'Disabled' })
    expect(await send(`GET ${todos}`, { token: admin })).toMatchObject({
      status: 503,
      body: { reason: 'PluginNotStarted' },
    })
    expect((await send(`GET ${echo}`)).status).toBe(503)
    expect((await enable(true)).status).toBe(200)
    await phaseIs({ phase: 'Started' })
    expect((await send(`GET ${todos}/milk`, { token: admin })).status).toBe(200)
  })

  test('what cannot be a plugin is refused, or fails, in words', async () => {
    const foreign = { ...todoDefinition, name: 'other' }
    const taken = await send(`POST ${packages}`, { token: admin, body: pluginPackage({ definition: foreign }) })
    expect(taken).toMatchObject({ status: 409, body: { reason: 'DuplicateIndexValue' } })
    const reserved = { ...foreign, groups: ['mine.platform.run'], models: [], routes: [] }
    const refused = await send(`POST ${packages}`, { token: admin, body: pluginPackage({ definition: reserved }) })
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining('mine.platform.run') } })
    const wide = `
apiVersion: v1alpha1
kind: Role
metadata: { name: wide-all, labels: { platform.run/role-template: "true" } }
rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]`
    const definition = { ...todoDefinition, name: 'wide', groups: ['wide.example.com'], models: [], routes: [] }
    const files = { 'extensions/roles.yaml': wide }
    const unapproved = await send(`POST ${packages}`, { token: admin, body: pluginPackage({ definition, files }) })
    expect(unapproved).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('wide-all: *') as string },
    })
    const named = { 'extensions/roles.yaml': wide.replace('wide-all', 'other-all') }
    await host.install(pluginPackage({ definition, files: named }))
    await host.phaseIs('wide', {
      phase: 'Failed',
      message: 'extensions/roles.yaml, document 1: the role other-all must begin with "wide-"',
    })
    expect((await send('GET /api/v1alpha1/roles/other-all', { token: admin })).status).toBe(404)
    const [model] = todoDefinition.models as readonly [ModelDeclaration]
    const deepest = { type: 'string' }
    const spec = Array.from({ length: 40 }).reduce<JsonSchema>((a) => ({ type: 'object', properties: { a } }), deepest)
    const groups = ['deep.example.com']
    const deep = { ...model, group: 'deep.example.com', versions: [{ name: 'v1', schema: { properties: { spec } } }] }
    const deepOne = { ...todoDefinition, name: 'deep', groups, models: [deep], routes: [] }
    expect(await host.install(pluginPackage({ definition: deepOne }))).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('at most 32 are allowed') as string },
    })
  })
})
