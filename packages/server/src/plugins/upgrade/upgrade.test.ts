import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  configMap,
  mayDeclare,
  openPluginGround,
  roleTemplate,
  todoDefinition,
  todoGroup,
  todoModel,
  todoObject,
  type PluginGround,
  type SamplePackage,
} from '../contract/plugin-ground.ts'
import { openPackage } from '../package/open-package.ts'
import type { PluginSpec, PluginState, PluginVersion } from '@pergola/api'
import { applyDeclared } from '../run/declared-objects.ts'
import type { InstalledPlugin } from '../run/known-plugins.ts'
import { createPluginStatuses, type PluginStatuses } from '../run/plugin-statuses.ts'
import { registerModels } from '../run/register-models.ts'
import { giveUp, upgrade } from './upgrade.ts'

const permissions = mayDeclare('todo-defaults', 'todo-more')
const noteModel = todoModel({ kind: 'Note', singular: 'note', plural: 'notes' })
const indexed = todoModel({ indexes: [{ name: 'spec.title' }] })
const unique = todoModel({ indexes: [{ name: 'spec.title', unique: true }] })
/** Version 1 of the plugin `todo`; version 2 has another model, another role, and no config map. */
const first: SamplePackage = {
  definition: todoDefinition({ permissions }),
  objects: [roleTemplate('todo-old'), roleTemplate('todo-both'), configMap('todo-defaults', 'a')],
}
const second: SamplePackage = {
  definition: todoDefinition({ permissions, models: [indexed, noteModel] }),
  version: '2.0.0',
  objects: [roleTemplate('todo-new'), roleTemplate('todo-both')],
}

let ground: PluginGround
let statuses: PluginStatuses
let live: Set<string>
/** Called with each step that one replica does for all, before it; by default nothing happens then. */
let before: (step: number) => Promise<unknown>
let steps: number
/** The digest of version 1. */
let former: string
beforeAll(async () => {
  ground = await openPluginGround()
})
beforeEach(async () => {
  live = new Set(['one'])
  statuses = createPluginStatuses({ ...ground, replicas: { own: 'one', live: async () => live } })
  before = async () => {}
  steps = 0
  former = await ground.keep(first)
  await ground.install('todo', { digest: former, permissions })
  await registerModels(ground, 'todo', [todoModel()])
  const { manifest, objects } = await openPackage(ground.packages, former)
  await applyDeclared(ground, manifest, { objects })
  for (const name of ['one', 'two']) await ground.todos.create(todoObject(name, 'same'))
})
afterEach(() => ground.clear())
afterAll(() => ground[Symbol.asyncDispose]())

/** Makes a package the candidate, as installing it does. */
async function prepare(sample: SamplePackage = second, adds: readonly string[] = []): Promise<InstalledPlugin> {
  const digest = await ground.keep(sample)
  const { version = '1.0.0' } = sample
  return ground.change('todo', (spec) => ({
    ...spec,
    groups: [...spec.groups, ...adds],
    candidate: { version, digest, groups: [todoGroup, ...adds], permissions, adds },
  }))
}

/** A replica reports the state of a version, the candidate by default. */
async function report(plugin: InstalledPlugin, state: PluginState, replica = 'one'): Promise<void> {
  const { candidate, digest } = plugin.spec
  const reporting = createPluginStatuses({ ...ground, replicas: { own: replica, live: async () => live } })
  reporting.tell(plugin, candidate?.digest ?? digest, state)
  await reporting.settled()
}

const run = (plugin: InstalledPlugin, signal = new AbortController().signal) =>
  upgrade(
    {
      ...ground,
      statuses,
      replicas: { live: async () => live },
      limits: { startMs: 60_000 },
      exclusively: async (_, work) => {
        await before(++steps)
        return work()
      },
    },
    plugin,
    signal,
  )

/** Everything that an upgrade may change. */
const state = async () => {
  const { spec } = await ground.stored('todo')
  return {
    version: spec.version,
    candidate: spec.candidate?.version,
    previous: spec.previous?.version,
    groups: spec.groups,
    roles: (await ground.roles.names()).filter((name) => name.startsWith('todo-')),
    configMaps: await ground.configMaps.names(),
    models: await ground.declared(),
    indexes: (await ground.definition(todoModel()))?.indexes,
    ahead: (await ground.definition(todoModel()))?.next,
  }
}
const unchanged = {
  version: '1.0.0',
  candidate: undefined,
  previous: undefined,
  groups: [todoGroup],
  roles: ['todo-both', 'todo-old'],
  configMaps: ['todo-defaults'],
  models: ['todos.todo.example.com'],
  indexes: undefined,
  ahead: undefined,
}
const upgraded = {
  ...unchanged,
  version: '2.0.0',
  previous: '1.0.0',
  roles: ['todo-both', 'todo-new'],
  configMaps: [],
  models: ['notes.todo.example.com', 'todos.todo.example.com'],
  indexes: [{ name: 'spec.title' }],
}
const isKept = async (digest: string | undefined) => (await ground.packages.read(digest ?? '')) !== undefined

test('a prepared candidate becomes the active version, with its models, roles and indexes; the former one is kept', async () => {
  const plugin = await prepare()
  await report(plugin, { phase: 'Prepared' })
  await run(plugin)
  expect(await state()).toEqual(upgraded)
  expect((await ground.statusOf('todo'))?.upgrade).toEqual({ from: '1.0.0', to: '2.0.0', phase: 'Switched' })
  expect(await ground.store.indexBuild(todoModel())).toBeUndefined()
  expect(await isKept(former)).toBe(true)
})

test('a second upgrade deletes the package that nobody can roll back to any more', async () => {
  for (const version of ['2.0.0', '3.0.0']) {
    const plugin = await prepare({ ...second, version })
    await report(plugin, { phase: 'Prepared' })
    await run(plugin)
  }
  expect(await state()).toMatchObject({ version: '3.0.0', previous: '2.0.0' })
  expect(await isKept(former)).toBe(false)
})

test('a rollback restores the models and roles of the previous version, and keeps its package', async () => {
  const plugin = await prepare()
  await report(plugin, { phase: 'Prepared' })
  await run(plugin)
  const back = await prepare(first)
  await report(back, { phase: 'Prepared' })
  await run(back)
  expect(await state()).toMatchObject({
    version: '1.0.0',
    previous: '2.0.0',
    roles: unchanged.roles,
    indexes: undefined,
  })
  expect(await isKept(former)).toBe(true)
})

test('a restart that was requested meanwhile survives the switch', async () => {
  const plugin = await prepare()
  await report(plugin, { phase: 'Prepared' })
  before = () => ground.change('todo', (spec) => ({ ...spec, restarts: 1 }))
  await run(plugin)
  expect((await ground.stored('todo')).spec).toMatchObject({ version: '2.0.0', restarts: 1 })
})

test('the switch waits for every live replica, and not for those that are gone', async () => {
  live.add('two')
  const plugin = await prepare()
  await report(plugin, { phase: 'Prepared' })
  // The last report: a later one would drop it.
  await report(plugin, { phase: 'Failed', message: 'no room' }, 'gone')
  const reads = ground.store.get.bind(ground.store)
  let looks = 0
  const running = upgrade(
    {
      ...ground,
      statuses,
      store: {
        ...ground.store,
        get: async (model, name) => {
          if (model.plural === 'plugins' && ++looks === 5) {
            expect(steps).toBe(0)
            await report(plugin, { phase: 'Prepared' }, 'two')
          }
          return reads(model, name)
        },
      },
      replicas: { live: async () => live },
      limits: { startMs: 60_000 },
      exclusively: async (_, work) => {
        steps++
        return work()
      },
    },
    plugin,
    new AbortController().signal,
  )
  await running
  expect(await state()).toEqual(upgraded)
})

interface GivenUp {
  readonly title: string
  readonly candidate?: SamplePackage
  /** Groups that the candidate claims in addition. */
  readonly adds?: readonly string[]
  /** What happens before it is upgraded. */
  readonly given?: (plugin: InstalledPlugin) => Promise<unknown>
  /** What happens between `Prepared` and the declaration of the next models. */
  readonly declaring?: (plugin: InstalledPlugin) => Promise<unknown>
  /** What happens after that, before the switch. */
  readonly switching?: (plugin: InstalledPlugin) => Promise<unknown>
  readonly message: RegExp
  readonly left?: object
}

const disabled = (spec: PluginSpec): PluginSpec => ({ ...spec, enabled: false })
const givenUp: readonly GivenUp[] = [
  {
    title: 'when a replica cannot start it',
    given: (plugin) => report(plugin, { phase: 'Failed', message: 'it ended with code 3' }),
    message: /^it ended with code 3$/,
  },
  {
    title: 'and releases the groups that only it claims',
    adds: ['more.example.com'],
    given: (plugin) => report(plugin, { phase: 'Failed', message: 'no' }),
    message: /^no$/,
  },
  {
    title: 'when its process ends after its models were announced',
    declaring: (plugin) => report(plugin, { phase: 'Failed', message: 'it ended with code 4' }),
    message: /^it ended with code 4$/,
  },
  {
    title: 'when the plugin is disabled before it is prepared',
    given: () => ground.change('todo', disabled),
    message: /^the plugin was disabled$/,
  },
  {
    title: 'when the plugin is disabled while the indexes are built',
    declaring: () => ground.change('todo', disabled),
    message: /^the plugin was disabled$/,
  },
  {
    title: 'when the plugin is disabled right before the switch',
    switching: () => ground.change('todo', disabled),
    message: /^the plugin was disabled$/,
  },
  {
    title: 'when its package is not in the database',
    given: async (plugin) => {
      await report(plugin, { phase: 'Prepared' })
      await ground.packages.forget(plugin.spec.candidate?.digest ?? '')
    },
    message: /is not in the database; install it again$/,
  },
  {
    title: 'when its model cannot replace the existing one',
    candidate: { ...second, definition: todoDefinition({ models: [todoModel({ kind: 'Task' })] }) },
    message: /kind/,
  },
  {
    title: 'when a new unique index finds duplicates, with the objects to change',
    candidate: { ...second, definition: todoDefinition({ models: [unique] }) },
    message: /^todos have duplicate values of spec\.title, .*and upgrade again: "same": (one, two|two, one)$/,
  },
  {
    title: 'when it declares a role that exists and is not its own',
    switching: () => ground.roles.create(roleTemplate('todo-new')),
    message: /the Role "todo-new" exists and is not from this plugin/,
    left: { roles: ['todo-both', 'todo-new', 'todo-old'] },
  },
  {
    title: 'when a role does not have the name of the plugin',
    candidate: { ...second, objects: [roleTemplate('other-new')] },
    message: /^extensions\/objects\.yaml, document 1: the role other-new must begin with "todo-"$/,
  },
  {
    title: 'when it lacks a role that is bound',
    switching: () => ground.user('ann', 'todo-old'),
    message: /role "todo-old" is bound by rolebinding "ann-todo-old"/,
  },
  {
    title: 'when a role grants more than its installer holds',
    candidate: {
      ...second,
      objects: [roleTemplate('todo-new', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }])],
    },
    given: async (plugin) => {
      const { uid, name } = await ground.user('ann')
      const by = (version: PluginVersion) => ({ ...version, installedBy: { user: { uid, name } } })
      await ground.change('todo', (spec) => ({
        ...spec,
        ...(spec.candidate && { candidate: { ...spec.candidate, ...by(spec.candidate) } }),
      }))
      await report(plugin, { phase: 'Prepared' })
    },
    message: /hands out more than you hold: get on secrets/,
  },
  {
    title: 'when it declares a foreign object without an approval',
    candidate: { ...second, objects: [configMap('other', '')] },
    message: /is not this plugin's to declare/,
  },
]
test.each(givenUp)('an upgrade is given up $title, and nothing has changed', async (row) => {
  const { candidate, adds, given, declaring, switching, message, left = {} } = row
  let plugin = await prepare(candidate, adds)
  await (given ?? ((one) => report(one, { phase: 'Prepared' })))(plugin)
  plugin = await ground.stored('todo')
  before = async (step) => {
    if (step === 1) await declaring?.(plugin)
    if (step === 2) await switching?.(plugin)
  }
  await run(plugin)
  expect(await state()).toEqual({ ...unchanged, ...left })
  expect((await ground.statusOf('todo'))?.upgrade).toEqual({
    from: '1.0.0',
    to: '2.0.0',
    phase: 'Failed',
    message: expect.stringMatching(message) as string,
  })
  expect(await isKept(plugin.spec.candidate?.digest)).toBe(false)
})

test('a candidate of the active package that is given up keeps that package', async () => {
  const plugin = await prepare(first)
  await report(plugin, { phase: 'Failed', message: 'no' })
  await run(plugin)
  expect(await isKept(former)).toBe(true)
})

test('what replicas reported of an abandoned candidate is forgotten', async () => {
  await report(await ground.stored('todo'), { phase: 'Started' })
  const plugin = await prepare()
  await report(plugin, { phase: 'Failed', message: 'no' })
  await run(plugin)
  expect((await ground.statusOf('todo'))?.replicas).toMatchObject([{ digest: former, phase: 'Started' }])
})

interface Superseded {
  readonly title: string
  readonly happens: () => Promise<unknown>
  readonly candidate: string | undefined
}

const superseded: readonly Superseded[] = [
  {
    title: 'another candidate has come',
    happens: () => prepare({ ...second, version: '3.0.0' }),
    candidate: '3.0.0',
  },
  {
    title: 'another replica has withdrawn the candidate',
    happens: () =>
      ground.change('todo', (spec) => {
        const { candidate: _, ...others } = spec
        return others
      }),
    candidate: undefined,
  },
  {
    title: 'the plugin was purged and installed anew',
    happens: async () => {
      await ground.store.write([{ type: 'delete', model: ground.plugins, name: 'todo' }])
      await ground.install('todo', { digest: former })
    },
    candidate: undefined,
  },
]
for (const step of [0, 1, 2]) {
  const when = ['before it begins', 'before its models are announced', 'right before the switch'][step]
  test.each(superseded)(`an upgrade ends quietly when $title ${when}`, async ({ happens, candidate }) => {
    const plugin = await prepare()
    await report(plugin, { phase: 'Prepared' })
    if (step === 0) await happens()
    before = async (now) => void (now === step && (await happens()))
    await run(plugin)
    expect(await state()).toMatchObject({ version: '1.0.0', candidate, previous: undefined, roles: unchanged.roles })
    expect((await ground.statusOf('todo'))?.upgrade?.phase).not.toBe('Failed')
  })
}

test.each([1, 2])('an upgrade that is aborted at step %d is continued by the next run', async (step) => {
  const plugin = await prepare()
  await report(plugin, { phase: 'Prepared' })
  const stopping = new AbortController()
  before = async (now) => {
    if (now !== step) return
    stopping.abort()
    throw stopping.signal.reason
  }
  await run(plugin, stopping.signal)
  expect(await state()).toMatchObject({ version: '1.0.0', candidate: '2.0.0', roles: unchanged.roles })
  before = async () => {}
  await run(plugin)
  expect(await state()).toEqual(upgraded)
})

test('an upgrade that is done is not done again', async () => {
  const plugin = await prepare()
  await report(plugin, { phase: 'Prepared' })
  await run(plugin)
  const head = await ground.store.head()
  await run(plugin)
  expect(await ground.store.head()).toEqual(head)
})

test('giving up does nothing once the candidate is the active version', async () => {
  const plugin = await prepare()
  await report(plugin, { phase: 'Prepared' })
  await run(plugin)
  const parts = { ...ground, statuses, replicas: { live: async () => live }, limits: { startMs: 60_000 } }
  await giveUp({ ...parts, exclusively: (_, work) => work() }, plugin, 'too late')
  expect(await state()).toEqual(upgraded)
  expect((await ground.statusOf('todo'))?.upgrade?.phase).toBe('Switched')
})
