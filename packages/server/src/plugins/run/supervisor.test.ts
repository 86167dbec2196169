import { createServer } from 'node:http'
import {
  groupsWithAudiences,
  requestInfo,
  type PluginDefinition,
  type PluginSpec,
  type PluginVersion,
  type RouteDeclaration,
} from '@pergola/api'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { definitionOf, type ModelSpec } from '../../models/definition/definition.ts'
import { StaleModel } from '../../store/stale-model.ts'
import {
  openPluginGround,
  todoDefinition,
  todoGroup,
  todoModel,
  type PluginGround,
  type SamplePackage,
} from '../contract/plugin-ground.ts'
import type { RunHere } from '../process/launch-here.ts'
import type { InstalledPlugin } from './known-plugins.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'

const route: RouteDeclaration = {
  audience: 'uc',
  method: 'GET',
  path: `/apis/uc.api.${todoGroup}/v1alpha1/todos/{name}/share`,
}
const first = todoDefinition({
  owned: [{ group: todoGroup, plural: 'todos', path: 'spec.owner' }],
  routes: [route],
})
/** The model has another field in version 2. */
const changedModel = todoModel({
  versions: [{ name: 'v1alpha1', schema: { properties: { spec: { type: 'object' }, status: { type: 'object' } } } }],
})
const second: SamplePackage = { definition: { ...first, models: [changedModel] }, version: '2.0.0' }
const asDefined = (model: object) => definitionOf(model as ModelSpec)

let ground: PluginGround
let supervisor: Supervisor
beforeAll(async () => {
  ground = await openPluginGround()
})
afterEach(async () => {
  await supervisor[Symbol.asyncDispose]()
  await ground.clear()
})
afterAll(() => ground[Symbol.asyncDispose]())

/** A plugin that runs in this process. `says` is its answer about each object; without a value it cannot answer. */
function answering(definition: PluginDefinition, says?: string): RunHere {
  return async ({ listen }) => {
    const server = createServer((request, response) => {
      if (request.url === '/pergola/definition') return void response.end(JSON.stringify(definition))
      if (request.method === 'GET') return void response.end('{}')
      const item = says === undefined ? { failed: 'no idea' } : { values: { says: [says] }, errors: [] }
      return void response.end(JSON.stringify({ items: [item] }))
    })
    await new Promise<void>((resolve) => server.listen(listen, resolve))
    const close = async () => {
      server.closeAllConnections()
      server.close()
    }
    return { [Symbol.asyncDispose]: close }
  }
}

/** A process that never answers. */
const silent: RunHere = async () => ({ [Symbol.asyncDispose]: async () => {} })

interface Given {
  readonly spec?: Partial<PluginSpec>
  readonly here?: RunHere
}

/** Installs version 1 of the plugin `todo` and supervises it. `change` changes its spec, and announces that. */
async function supervised({ spec = {}, here = answering(first, 'one') }: Given = {}) {
  const digest = await ground.keep({ definition: first })
  let installed: readonly InstalledPlugin[] = [await ground.install('todo', { digest, ...spec })]
  let behaviour = here
  const listeners = new Set<() => void>()
  const states: string[] = []
  supervisor = createSupervisor({
    ...ground,
    known: {
      start: async () => {},
      all: () => installed,
      claims: () => ({
        pluginOf: (group) => installed.find((plugin) => groupsWithAudiences(plugin.spec.groups).includes(group))?.name,
        rulesOf: () => [],
      }),
      onChange: (listener) => {
        listeners.add(listener)
        return { [Symbol.dispose]: () => void listeners.delete(listener) }
      },
      [Symbol.dispose]: () => {},
    },
    replicas: {
      own: 'one',
      ownName: 'one',
      // The other replica never reports, so that an upgrade waits instead of switching.
      live: async () => new Set(['one', 'other']),
    },
    hostSocket: '/host.sock',
    limits: { memoryBytes: 300 * 1024 * 1024, processes: 8, scratchBytes: 1024 * 1024, startMs: 60_000 },
    accounts: { take: async () => undefined },
    cgroups: undefined,
    runnerOf: () => behaviour,
    onLine: () => {},
    inspectorOf: () => undefined,
    onPluginState: (_, version, { phase }) => void states.push(`${version === digest ? 'one' : 'two'} is ${phase}`),
  })
  const { firstStarts } = supervisor.start()
  const announce = () => {
    for (const listener of listeners) listener()
  }
  return {
    states,
    firstStarts,
    isFollowed: () => listeners.size > 0,
    until: async (state: string) => {
      await expect.poll(() => states, { interval: 10 }).toContain(state)
    },
    change: async (part: Partial<PluginSpec>, next = behaviour) => {
      behaviour = next
      installed = [await ground.change('todo', (before) => ({ ...before, ...part }))]
      announce()
    },
    forget: () => {
      installed = []
      announce()
    },
  }
}

async function candidate(): Promise<PluginVersion & { readonly adds: readonly string[] }> {
  return { version: '2.0.0', digest: await ground.keep(second), groups: [todoGroup], permissions: [], adds: [] }
}

const reached = (path: string) => {
  const { owned, answering: custom } = supervisor.reach(requestInfo({ method: 'GET', target: path, headers: {} }))
  if (owned) return `owned by ${owned.path}`
  return custom ? `custom API of ${custom.door.name}` : 'nothing'
}

describe('of a started plugin,', () => {
  const mine = `/apis/uc.api.${todoGroup}/v1alpha1/todos`
  test.each([
    ['its models are served by the host', `/apis/${todoGroup}/v1alpha1/todos/milk`, 'nothing'],
    ['owned objects are served with their owner', `${mine}/milk`, 'owned by spec.owner'],
    ['a path below an owned object is answered by the plugin', `${mine}/milk/share`, 'custom API of todo'],
    ['any other path of an audience is answered by the plugin', `${mine.slice(0, -1)}/more`, 'custom API of todo'],
    ['a path that is too long for a resource is, too', `${mine}/a/b/c`, 'custom API of todo'],
    ['groups of others are not touched', '/apis/uc.api.other.example.com/v1/things', 'nothing'],
    ['paths without a group are not touched', '/auth/profile', 'nothing'],
  ])('%s', async (_, path, expected) => {
    const { firstStarts } = await supervised()
    await firstStarts
    expect(reached(path)).toBe(expected)
  })

  test('the tokens are known before it is healthy, and lead only when it serves', async () => {
    const { firstStarts } = await supervised()
    expect(supervisor.leadingToken('todo')).toBeUndefined()
    await firstStarts
    const [known] = supervisor.startTokens()
    expect(known).toMatchObject({ plugin: 'todo', groups: [todoGroup] })
    expect(supervisor.leadingToken('todo')).toBe(known?.token)
    expect(supervisor.customApis()).toMatchObject({ routes: [route], owned: first.owned, apps: [] })
  })
})

const again = 'is not started; try again'
const refusals = [
  ['that has not started yet', { here: silent }, again, '1'],
  ['that is disabled', { spec: { enabled: false } }, 'is disabled; an administrator can enable it', undefined],
  [
    'that is uninstalled',
    { spec: { enabled: false, removal: 'keep' } },
    'is uninstalled; an administrator can install it again',
    undefined,
  ],
] as const

test.each(refusals)('requests to a plugin %s say so, and whether to retry', async (_, given, why, retryAfter) => {
  await supervised(given)
  const refused = expect.objectContaining({
    reason: 'PluginNotStarted',
    message: `the plugin todo ${why}`,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  })
  for (const path of [`/apis/${todoGroup}/v1alpha1/todos`, `/apis/uc.api.${todoGroup}/v1alpha1/todos/milk`]) {
    expect(() => reached(path)).toThrow(refused)
  }
  expect(() => supervisor.assertServed(todoGroup)).toThrow(refused)
  await expect(supervisor.evaluate(asDefined(todoModel()), { object: {}, indexes: [] })).rejects.toThrow(refused)
})

test('a model without an installed plugin cannot be evaluated', async () => {
  const { forget } = await supervised()
  forget()
  const asked = supervisor.evaluate(asDefined(todoModel()), { object: {}, indexes: [] })
  await expect(asked).rejects.toThrow(`no plugin with the group ${todoGroup} is installed; install it`)
  expect(reached(`/apis/${todoGroup}/v1alpha1/todos`)).toBe('nothing')
})

describe('changes of the installed plugins are followed:', () => {
  test('a disabled plugin stops, and an enabled one starts again', async () => {
    const { change, until, states } = await supervised()
    await until('one is Started')
    await change({ enabled: false })
    await expect.poll(() => supervisor.startTokens()).toEqual([])
    states.length = 0
    await change({ enabled: true })
    await until('one is Started')
  })

  test('until the end, which stops every process', async () => {
    const { until, isFollowed } = await supervised()
    await until('one is Started')
    await supervisor[Symbol.asyncDispose]()
    expect(isFollowed()).toBe(false)
    expect(supervisor.startTokens()).toEqual([])
  })
})

describe('during an upgrade,', () => {
  const next = asDefined(changedModel)
  const request = { object: {}, indexes: [] }
  const upgrading = { ...asDefined(todoModel()), next }

  test('the active version is asked about objects, and the next one about its own index values', async () => {
    const { change, until } = await supervised()
    await until('one is Started')
    await change({ candidate: await candidate() }, answering({ ...first, models: [changedModel] }, 'two'))
    await until('two is Prepared')
    expect(await supervisor.evaluate(upgrading, request)).toMatchObject({ values: { says: ['one'] } })
    expect(await supervisor.evaluateNext(upgrading, request)).toMatchObject({ values: { says: ['two'] } })
  })

  test('the next version is asked as soon as its definition is the stored one', async () => {
    const { change, until } = await supervised()
    await until('one is Started')
    await change({ candidate: await candidate() }, answering({ ...first, models: [changedModel] }, 'two'))
    await until('two is Prepared')
    expect(await supervisor.evaluate(next, request)).toMatchObject({ values: { says: ['two'] } })
  })

  test('a next version that cannot answer ends the upgrade, and the write is repeated without it', async () => {
    const { change, until } = await supervised()
    await until('one is Started')
    await change({ candidate: await candidate() }, answering({ ...first, models: [changedModel] }))
    await until('two is Prepared')
    await expect(supervisor.evaluateNext(upgrading, request)).rejects.toThrow(StaleModel)
    expect((await ground.stored('todo')).spec.candidate).toBeUndefined()
    expect((await ground.statusOf('todo'))?.upgrade).toMatchObject({ phase: 'Failed' })
  })
})
