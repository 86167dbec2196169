import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, startHost, type PluginHost } from './plugin-host.ts'
import { pluginPackage } from './plugin-package.ts'

const todos = '/apis/todo.example.com/v1alpha1/todos'

describe.each(engines)('on %s', (engine) => {
  let host: PluginHost
  let admin: string
  const send: PluginHost['send'] = (line, options) => host.send(line, { token: admin, ...options })
  const body = (title: string) => ({ metadata: { generateName: 'todo-' }, spec: { title, state: 'open' } })

  beforeAll(async () => {
    host = await startHost(engine)
    admin = host.admin
    await host.install(pluginPackage())
    await host.phaseIs('todo', { phase: 'Started' })
    const milk = { metadata: { name: 'milk' }, spec: { title: 'Buy milk', state: 'open' } }
    await send(`POST ${todos}`, { body: milk })
  })
  afterAll(() => host[Symbol.asyncDispose]())

  test('an update replaces the values that a function index computed before', async () => {
    const found = await send(`GET ${todos}?fieldSelector=words=milk`)
    expect(found.body['items']).toMatchObject([{ metadata: { name: 'milk' } }])
    expect((await send(`GET ${todos}?fieldSelector=words=bread`)).body['items']).toEqual([])
    await send(`PUT ${todos}/milk`, { body: body('Buy bread') })
    expect((await send(`GET ${todos}?fieldSelector=words=bread`)).body['items']).toHaveLength(1)
    expect((await send(`GET ${todos}?fieldSelector=words=milk`)).body['items']).toEqual([])
  })

  test('a write is rejected with the errors of its check, or with 502 when the check fails', async () => {
    const never = (message: string) => ({
      status: 422,
      body: { errors: [{ field: 'spec.title', rule: 'check', message }] },
    })
    expect(await send(`POST ${todos}`, { body: body('never') })).toMatchObject(never('never create by admin'))
    const updated = await send(`PUT ${todos}/milk`, { body: body('never') })
    expect(updated).toMatchObject(never('never update by admin after Buy bread'))
    expect(await send(`POST ${todos}`, { body: body('throws') })).toMatchObject({
      status: 502,
      body: { reason: 'PluginFailed' },
    })
  })
})
