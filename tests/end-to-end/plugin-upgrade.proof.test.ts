import type { ModelDeclaration, PluginDefinition } from '@pergola/api'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { engines, plugins, startHost, type PluginHost } from './plugin-host.ts'
import { pluginPackage, todoDefinition, type PluginFiles } from './plugin-package.ts'

vi.setConfig({ hookTimeout: 60_000, testTimeout: 90_000 })

/** Upgrade and rollback of a plugin under load. */
const todos = '/apis/todo.example.com/v1alpha1/todos'
const notes = '/apis/todo.example.com/v1alpha1/notes'
const echo = '/apis/api.todo.example.com/v1alpha1/echo'
const console_ = '/apis/console.api.platform.run/v1alpha1/plugins'

const [todo] = todoDefinition.models as readonly [ModelDeclaration]
const note: ModelDeclaration = {
  ...todo,
  kind: 'Note',
  singular: 'note',
  plural: 'notes',
  indexes: [],
  check: false,
}

/** The second version indexes `words` in upper case, and adds an index on the title. */
const secondDefinition: PluginDefinition = {
  ...todoDefinition,
  models: [
    {
      ...todo,
      indexes: [
        { name: 'spec.state' },
        { name: 'spec.title' },
        { name: 'words', evaluated: 'multi', revision: 2 },
        { name: 'first', evaluated: 'single', revision: 1 },
      ],
    },
    note,
  ],
}

const answerOf = (version: number) =>
  `async (request, response) => response.setHeader('content-type', 'application/json').end('{"version":${version}}')`

const role = (name: string) => `
apiVersion: v1alpha1
kind: Role
metadata: { name: ${name}, labels: { platform.run/role-template: "true" } }
rules: [{ apiGroups: [todo.example.com], resources: [todos], verbs: [get] }]
`

function firstVersion(more: PluginFiles = {}): Buffer {
  const files = { 'extensions/roles.yaml': `${role('todo-old')}---${role('todo-both')}` }
  return pluginPackage({ answer: answerOf(1), files, ...more })
}

function secondVersion(more: PluginFiles = {}): Buffer {
  const files = { 'extensions/roles.yaml': `${role('todo-new')}---${role('todo-both')}` }
  const definition = secondDefinition
  return pluginPackage({ definition, version: '2.0.0', answer: answerOf(2), words: 'upper', files, ...more })
}

describe.each(engines)('on %s', (engine) => {
  let hosts: PluginHost[]
  let host: PluginHost
  let admin: string
  const send: PluginHost['send'] = (line, options) => host.send(line, { token: admin, ...options })
  const get = async (path: string) => (await send(`GET ${path}`)).body
  const statusOf = async (path: string) => (await send(`GET ${path}`)).status
  const found = async (selector: string) => {
    const { items } = await get(`${todos}?fieldSelector=${encodeURIComponent(selector)}`)
    return (items as unknown as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name).toSorted()
  }

  beforeEach(async () => {
    host = await startHost(engine)
    admin = host.admin
    // A second replica; SQLite has only one.
    hosts = engine === 'SQLite' ? [host] : [host, await startHost(engine, host.databaseUrl)]
    await host.install(firstVersion())
    await host.phaseIs('todo', { phase: 'Started' })
    for (const title of ['Buy milk', 'Sell milk']) {
      await send(`POST ${todos}`, { body: { metadata: { name: title.slice(0, 3).toLowerCase() }, spec: { title } } })
    }
  })
  afterEach(async () => {
    for (const one of hosts.toReversed()) await one[Symbol.asyncDispose]()
  })

  /** State that a failed upgrade must not change. */
  const everything = async () => {
    const [plugin, models, roles] = await Promise.all([
      get(`${plugins}/todo`),
      get('/apis/plugin.platform.run/v1alpha1/models'),
      get('/api/v1alpha1/roles'),
    ])
    const specs = (list: Record<string, object>) =>
      (list['items'] as unknown as Record<string, object>[])
        .map(({ metadata, spec, rules }) => ({
          name: (metadata as { name: string }).name,
          spec,
          rules,
        }))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    return { plugin: plugin['spec'], models: specs(models), roles: specs(roles) }
  }
  const upgradeIs = async (expected: object) => {
    const look = async () =>
      expect((await get(`${plugins}/todo`))['status'] as { upgrade?: object }).toMatchObject({ upgrade: expected })
    await vi.waitFor(look, { timeout: 60_000, interval: 50 })
  }

  test('upgrade and rollback cause no failed request', async () => {
    const before = await everything()
    await using load = useAll(hosts, admin)
    expect((await host.install(secondVersion())).status).toBe(200)
    await upgradeIs({ from: '1.0.0', to: '2.0.0', phase: 'Switched' })
    await vi.waitFor(async () => expect(await get(echo)).toEqual({ version: 2 }), 10_000)
    expect(await found('words=MILK')).toEqual(['buy', 'sel'])
    expect(await found('words=milk')).toEqual([])
    expect(await found('spec.title=Buy milk')).toEqual(['buy'])
    expect(await statusOf(notes)).toBe(200)
    expect(await statusOf('/api/v1alpha1/roles/todo-new')).toBe(200)
    expect(await statusOf('/api/v1alpha1/roles/todo-old')).toBe(404)
    expect((await get(`${plugins}/todo`))['spec']).toMatchObject({ version: '2.0.0', previous: { version: '1.0.0' } })
    await host.phaseIs('todo', { phase: 'Started' })

    expect((await send(`POST ${console_}/todo/rollback`)).status).toBe(200)
    await upgradeIs({ from: '2.0.0', to: '1.0.0', phase: 'Switched' })
    await vi.waitFor(async () => expect(await get(echo)).toEqual({ version: 1 }), 10_000)
    expect(await found('words=milk')).toEqual(['buy', 'sel'])
    const after = await everything()
    expect(after.roles).toEqual(before.roles)
    expect(after.models.filter(({ name }) => name.startsWith('todos'))).toEqual(
      before.models.filter(({ name }) => name.startsWith('todos')),
    )
    const { failures, requests } = await load.end()
    expect(failures).toEqual([])
    expect(requests).toBeGreaterThan(100)
  })

  const failing: readonly [string, Buffer, RegExp][] = [
    ['exits at start', secondVersion({ files: { 'plugin.js': 'process.exit(3)' } }), /ended with code 3/],
    ['fails to compute an index', secondVersion({ words: 'throw' }), /failed to compute index values/],
  ]
  // Alternate the cases between engines, because the failures do not depend on the engine.
  const ofEngine = failing.filter((_, at) => at % engines.length === engines.indexOf(engine))
  test.each(ofEngine)('a version that %s changes nothing', async (_, bytes, why) => {
    const before = await everything()
    await using load = useAll(hosts, admin)
    expect((await host.install(bytes)).status).toBe(200)
    await upgradeIs({ phase: 'Failed', message: expect.stringMatching(why) as string })
    expect(await everything()).toEqual(before)
    expect(await get(echo)).toEqual({ version: 1 })
    expect(await found('words=milk')).toEqual(['buy', 'sel'])
    expect(await load.end()).toMatchObject({ failures: [] })
  })
})

interface Load extends AsyncDisposable {
  end(): Promise<{ readonly failures: readonly string[]; readonly requests: number }>
}

/** Continuously reads, writes and calls the custom API on each replica. */
function useAll(hosts: readonly PluginHost[], token: string): Load {
  const failures: string[] = []
  let requests = 0
  let isEnded = false
  const use = async (host: PluginHost, lane: number) => {
    for (let round = 0; !isEnded; round++) {
      const name = `l${lane}-${round}`
      const lines: readonly (readonly [string, object?])[] = [
        [`POST ${todos}`, { metadata: { name }, spec: { title: `load ${round}` } }],
        [`GET ${todos}/${name}`],
        [`GET ${todos}?fieldSelector=first%3Dload&size=5`],
        [`GET ${echo}`],
        [`PUT ${todos}/${name}`, { metadata: { name }, spec: { title: `more ${round}` } }],
        [`DELETE ${todos}/${name}`],
      ]
      for (const [line, body] of lines) {
        const { status, body: answered } = await host.send(line, { token, ...(body && { body }) })
        requests++
        if (status > 201) failures.push(`${line}: ${status} ${JSON.stringify(answered)}`)
      }
    }
  }
  const lanes = hosts.flatMap((host, at) => [use(host, at * 2), use(host, at * 2 + 1)])
  const end = async () => {
    isEnded = true
    await Promise.all(lanes)
    return { failures, requests }
  }
  return { end, [Symbol.asyncDispose]: async () => void (await end()) }
}
