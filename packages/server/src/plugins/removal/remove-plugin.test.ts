import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pluginCaller } from '../../call/plugin-caller.ts'
import {
  configMap,
  mayDeclare,
  openPluginGround,
  roleTemplate,
  todoDefinition,
  todoModel,
  todoObject,
  type PluginGround,
} from '../contract/plugin-ground.ts'
import { openPackage } from '../package/open-package.ts'
import type { PluginSpec, PluginState } from '@pergola/api'
import { applyDeclared } from '../run/declared-objects.ts'
import type { InstalledPlugin } from '../run/known-plugins.ts'
import { registerModels } from '../run/register-models.ts'
import { removePlugin } from './remove-plugin.ts'

const permissions = mayDeclare('todo-defaults')
const definition = todoDefinition({ permissions })
const objects = [roleTemplate('todo-view'), configMap('todo-defaults', 'a')]

let ground: PluginGround
/** The digests of the active, the previous and the upcoming version. */
let digests: { readonly active: string; readonly previous: string; readonly candidate: string }
beforeAll(async () => {
  ground = await openPluginGround()
})
beforeEach(async () => {
  const keep = (version: string) => ground.keep({ definition, version, objects })
  digests = { active: await keep('2.0.0'), previous: await keep('1.0.0'), candidate: await keep('3.0.0') }
  await ground.install('todo', { digest: digests.active, permissions })
  await registerModels(ground, 'todo', [todoModel()])
  const { manifest, objects: declared } = await openPackage(ground.packages, digests.active)
  await applyDeclared(ground, manifest, { objects: declared, caller: pluginCaller('todo', '') })
  await ground.todos.create(todoObject('milk', 'Buy milk'))
  await ground.user('ann', 'todo-view')
  await ground.configMaps.create(configMap('todo-settings', 'a'))
  await ground.secrets.create({ metadata: { name: 'todo-settings' }, data: {} })
})
afterEach(() => ground.clear())
afterAll(() => ground[Symbol.asyncDispose]())

/** What is left of the plugin, and of objects that are not its own. */
const left = async () => ({
  plugin: await ground.isInstalled('todo'),
  packages: (await Promise.all(Object.values(digests).map((digest) => ground.packages.read(digest)))).filter(Boolean)
    .length,
  models: await ground.declared(),
  roles: (await ground.roles.names()).filter((name) => name.startsWith('todo-')),
  bindings: await ground.bindings.names(),
  configMaps: await ground.configMaps.names(),
  secrets: await ground.secrets.names(),
})
const everything = {
  plugin: true,
  packages: 3,
  models: ['todos.todo.example.com'],
  roles: ['todo-view'],
  bindings: ['ann-todo-view'],
  configMaps: ['todo-defaults', 'todo-settings'],
  secrets: ['todo-settings'],
}
const withoutObjects = { ...everything, roles: [], bindings: [], configMaps: ['todo-settings'] }
const nothing = { plugin: false, packages: 0, models: [], roles: [], bindings: [], configMaps: [], secrets: [] }

const asRemoved = (removal: 'keep' | 'purge') => ground.change('todo', (spec) => ({ ...spec, enabled: false, removal }))

interface Removing {
  readonly signal?: AbortSignal
  readonly onTell?: (state: PluginState) => void
}
/** Removes it; returns the states that it told. */
async function remove(plugin: InstalledPlugin, { signal, onTell }: Removing = {}): Promise<readonly PluginState[]> {
  const told: PluginState[] = []
  const tell = (state: PluginState) => {
    told.push(state)
    onTell?.(state)
  }
  await removePlugin(ground, { plugin, signal: signal ?? new AbortController().signal, tell })
  return told
}

describe('a removal that keeps the data', () => {
  test('deletes what the package declared and keeps models, objects, settings and the package', async () => {
    const told = await remove(await asRemoved('keep'))
    expect(told).toEqual([{ phase: 'Disabled', reason: 'Uninstalled', message: 'it has left 1 todos' }])
    expect(await left()).toEqual(withoutObjects)
    expect(await ground.todos.names()).toEqual(['milk'])
  })

  test('says so when nothing is left', async () => {
    await ground.change('todo', (spec) => ({ ...spec, groups: [] }))
    const told = await remove(await asRemoved('keep'))
    expect(told).toMatchObject([{ message: 'it has left nothing' }])
  })
})

describe('a purge', () => {
  test('deletes everything, with the settings and the packages of all versions', async () => {
    const version = (digest: string) => ({ version: '1.0.0', digest, groups: [], permissions: [] })
    const { previous, candidate } = digests
    await ground.change('todo', (spec) => ({
      ...spec,
      previous: version(previous),
      candidate: { ...version(candidate), adds: [] },
    }))
    expect(await remove(await asRemoved('purge'))).toEqual([])
    expect(await left()).toEqual(nothing)
  })

  test('follows a removal that kept the data', async () => {
    await remove(await asRemoved('keep'))
    await remove(await asRemoved('purge'))
    expect(await left()).toEqual({ ...nothing, packages: 2 })
  })

  test("removes the plugin's own finalizers, because nobody is left to do so", async () => {
    const body = { metadata: { name: 'held', finalizers: ['todo.example.com/archive'] }, spec: { title: 'x' } }
    await ground.todos.create(body)
    await remove(await asRemoved('purge'))
    expect(await left()).toMatchObject({ plugin: false, models: [] })
  })

  const held = { metadata: { name: 'held', finalizers: ['other.example.com/audit'] }, spec: { title: 'x' } }
  const release = () => ground.todos.update('held', (object) => ({ ...object, metadata: { finalizers: [] } }))

  test('waits for the finalizers of others, says whose they are, and then continues', async () => {
    await ground.todos.create(held)
    const releases: Promise<void>[] = []
    const onTell = () => void releases.push(release())
    const told = await remove(await asRemoved('purge'), { onTell })
    await Promise.all(releases)
    const message = '1 todos are left, held by other.example.com/audit'
    expect(told).toEqual([{ phase: 'Disabled', reason: 'Purging', message }])
    expect(await left()).toMatchObject({ plugin: false, models: [] })
  })

  test('that was aborted while others held an object continues when it is repeated', async () => {
    await ground.todos.create(held)
    const stopping = new AbortController()
    const plugin = await asRemoved('purge')
    const aborted = remove(plugin, { signal: stopping.signal, onTell: () => stopping.abort() })
    await expect(aborted).rejects.toThrow('aborted')
    expect(await left()).toMatchObject({ plugin: true, models: everything.models, roles: [] })
    await release()
    await remove(plugin)
    expect(await left()).toMatchObject({ plugin: false, models: [] })
  })
})

interface Kept {
  readonly title: string
  /** What happened before. */
  readonly given: () => Promise<unknown>
  readonly removal: 'keep' | 'purge'
  readonly after: object
}

const foreign: readonly Kept[] = [
  {
    title: 'a declared object that somebody else replaced stays',
    given: async () => {
      await ground.configMaps.remove('todo-defaults')
      await ground.configMaps.create(configMap('todo-defaults', 'theirs'))
    },
    removal: 'purge',
    after: { plugin: false, configMaps: ['todo-defaults'] },
  },
  {
    title: 'a role that another plugin declares now stays, with its bindings',
    given: async () => {
      await ground.bindings.remove('ann-todo-view')
      await ground.roles.remove('todo-view')
      await ground.roles.create(roleTemplate('todo-view'), 'todo-view')
      await ground.user('bob', 'todo-view')
    },
    removal: 'purge',
    after: { plugin: false, roles: ['todo-view'], bindings: ['bob-todo-view'] },
  },
  {
    title: 'bindings of other roles stay',
    given: () => ground.user('bob', 'super-administrator'),
    removal: 'purge',
    after: { plugin: false, bindings: ['bob-super-administrator'] },
  },
  {
    title: 'models of other groups stay',
    given: () => registerModels(ground, 'mailer', [todoModel({ group: 'mailer.example.com' })]),
    removal: 'purge',
    after: { plugin: false, models: ['todos.mailer.example.com'] },
  },
  {
    title: 'a repeated removal ignores what is gone already',
    given: async () => {
      await ground.bindings.remove('ann-todo-view')
      await ground.roles.remove('todo-view')
      await ground.todos.remove('milk')
      await ground.configMaps.remove('todo-settings')
      await ground.secrets.remove('todo-settings')
    },
    removal: 'purge',
    after: { ...nothing, packages: 2 },
  },
  {
    title: 'a package that cannot be read any more declares nothing, and the rest is removed',
    given: () => ground.packages.forget(digests.active),
    removal: 'purge',
    after: { plugin: false, models: [], roles: ['todo-view'], configMaps: ['todo-defaults'], secrets: [] },
  },
]
test.each(foreign)('$title', async ({ given, removal, after }) => {
  await given()
  await remove(await asRemoved(removal))
  expect(await left()).toMatchObject(after)
})

const installedAgain = (spec: PluginSpec): PluginSpec => {
  const { removal: _, ...others } = spec
  return { ...others, enabled: true }
}
const unwanted: readonly (readonly [title: string, given: () => Promise<unknown>])[] = [
  ['that was installed again meanwhile', () => ground.change('todo', installedAgain)],
  ['whose data is to be purged now instead', () => asRemoved('purge')],
  [
    'that was purged and installed anew meanwhile',
    async () => {
      await ground.store.write([{ type: 'delete', model: ground.plugins, name: 'todo' }])
      await ground.install('todo', { digest: digests.active, permissions, enabled: false, removal: 'keep' })
    },
  ],
]
test.each(unwanted)('a plugin %s keeps everything', async (_, given) => {
  const plugin = await asRemoved('keep')
  await given()
  expect(await remove(plugin)).toEqual([])
  expect(await left()).toEqual(everything)
})
