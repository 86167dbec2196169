import { declarerKey } from '@pergola/api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
import { pluginCaller } from '../../call/plugin-caller.ts'
import type { DeclaredObject } from '../package/declared-object.ts'
import type { Manifest } from '../package/manifest.ts'
import { applyDeclared, assertDeclaresOwn, declaredObjects, declaredStored, type Declared } from './declared-objects.ts'
import { PluginFailed } from './not-started.ts'
import { pruneDeclared } from './prune-declared.ts'
import { registerModels } from './register-models.ts'

/** The objects that these documents declare, as a package holds them. */
const declared = (...documents: readonly object[]): readonly DeclaredObject[] =>
  declaredObjects({ documents: new Map([['objects.yaml', documents]]) })

const permissions = mayDeclare('defaults', 'second')
const manifest: Manifest = { name: 'todo', version: '1.0.0', definition: todoDefinition({ permissions }) }
const caller = pluginCaller('todo', 'token')

describe('documents of a package', () => {
  const invalid: readonly (readonly [title: string, documents: readonly unknown[], message: string])[] = [
    ['without a name is invalid', [{ apiVersion: 'v1alpha1', kind: 'Role', metadata: {} }], 'document 1 needs'],
    ['that is no object is invalid', [configMap('a', ''), 'text'], 'objects.yaml, document 2 needs apiVersion'],
    [
      'that declares an object again is invalid, and names the first',
      [configMap('a', '1'), configMap('b', ''), configMap('a', '2')],
      'objects.yaml, document 3 declares the ConfigMap "a" again, after objects.yaml, document 1',
    ],
  ]
  test.each(invalid)('one %s', (_, documents, message) => {
    const read = () => declaredObjects({ documents: new Map([['objects.yaml', documents]]) })
    expect(read).toThrow(PluginFailed)
    expect(read).toThrow(message)
  })

  test('objects of one name and different kinds are different objects', () => {
    expect(declared(configMap('todo-a', ''), roleTemplate('todo-a')).map(({ kind }) => kind)).toEqual([
      'ConfigMap',
      'Role',
    ])
  })
})

describe('on a store', () => {
  let ground: PluginGround
  beforeAll(async () => {
    ground = await openPluginGround()
  })
  beforeEach(async () => {
    await ground.install('todo', { permissions })
    await registerModels(ground, 'todo', [todoModel()])
  })
  afterEach(() => ground.clear())
  afterAll(() => ground[Symbol.asyncDispose]())

  const apply = (documents: readonly object[], how: Partial<Declared> = {}) =>
    applyDeclared(ground, manifest, { objects: declared(...documents), caller, ...how })
  /** Every object that a case may write, without what the host adds. */
  const stored = async () => ({
    roles: (await ground.roles.names()).filter((name) => name.startsWith('todo-') || name.startsWith('other-')),
    configMaps: await ground.configMaps.names(),
    todos: await ground.todos.names(),
  })
  const nothing = { roles: [], configMaps: [], todos: [] }
  const all = [roleTemplate('todo-view'), configMap('defaults', 'a'), todoObject('first', 'Buy milk')]

  test('declared objects are created and marked with the plugin', async () => {
    await apply(all)
    expect(await stored()).toEqual({ roles: ['todo-view'], configMaps: ['defaults'], todos: ['first'] })
    const objects = [
      await ground.roles.get('todo-view'),
      await ground.configMaps.get('defaults'),
      await ground.todos.get('first'),
    ]
    expect(objects.map((object) => object?.metadata.annotations?.[declarerKey])).toEqual(['todo', 'todo', 'todo'])
  })

  test('applying the same objects again writes nothing', async () => {
    await apply(all)
    const before = await ground.store.head()
    await apply(all)
    expect(await ground.store.head()).toEqual(before)
  })

  test('a changed document replaces what people made of the object', async () => {
    await apply([configMap('defaults', 'a')])
    await ground.configMaps.update('defaults', (object) => ({ ...object, data: { value: 'by hand' } }))
    await apply([configMap('defaults', 'b')])
    expect(await ground.configMaps.get('defaults')).toMatchObject({ data: { value: 'b' } })
  })

  test('a document without a status keeps the stored status', async () => {
    await apply([todoObject('first', 'Buy milk')])
    await ground.todos.update('first', (object) => ({ ...object, status: { done: true } }))
    await apply([todoObject('first', 'Sell milk')])
    expect(await ground.todos.get('first')).toMatchObject({ spec: { title: 'Sell milk' }, status: { done: true } })
  })

  test('role templates that depend on each other are stored together', async () => {
    const depending = (name: string, other: string) => {
      const { metadata, ...role } = roleTemplate(name) as { metadata: object }
      const annotations = { 'rbac.authorization.platform.run/dependencies': JSON.stringify([other]) }
      return { ...role, metadata: { ...metadata, annotations } }
    }
    const installer = await ground.user('ann', 'super-administrator')
    await apply([depending('todo-a', 'todo-b'), depending('todo-b', 'todo-a')], { installer })
    expect((await stored()).roles).toEqual(['todo-a', 'todo-b'])
  })

  interface Refused {
    readonly title: string
    readonly documents: readonly object[]
    readonly message: string
    /** Objects that exist before, with the plugin that declared them; people made those without one. */
    readonly existing?: readonly (readonly [kind: 'roles' | 'configMaps', object: object, declarer?: string])[]
  }
  const fine = configMap('defaults', 'a')
  const refused: readonly Refused[] = [
    {
      title: 'an object of people is not overwritten',
      existing: [['configMaps', configMap('second', 'theirs')]],
      documents: [fine, configMap('second', 'ours')],
      message: 'document 2: the ConfigMap "second" exists and is not from this plugin; use another name',
    },
    {
      title: 'an object of another plugin is not overwritten',
      existing: [['configMaps', configMap('second', 'theirs'), 'mailer']],
      documents: [fine, configMap('second', 'ours')],
      message: 'document 2: the ConfigMap "second" exists and belongs to the plugin mailer',
    },
    {
      title: 'a role of people is not overwritten',
      existing: [['roles', roleTemplate('todo-view', [])]],
      documents: [fine, roleTemplate('todo-view')],
      message: 'the Role "todo-view" exists and is not from this plugin',
    },
    {
      title: 'an object of an unknown model is refused',
      documents: [fine, { apiVersion: 'other.example.com/v1', kind: 'Page', metadata: { name: 'a' } }],
      message: 'document 2: there is no Page in other.example.com/v1',
    },
    {
      title: 'a role without the name of the plugin is refused',
      documents: [fine, roleTemplate('other-view')],
      message: 'the role other-view must begin with "todo-"',
    },
    {
      title: 'a role that is no template is refused',
      documents: [fine, { ...roleTemplate('todo-view'), metadata: { name: 'todo-view' } }],
      message: 'needs the label platform.run/role-template',
    },
    {
      title: 'an object of a foreign model that nobody approved is refused, with the rule to ask for',
      documents: [fine, configMap('third', '')],
      message: '"resourceNames":["third"],"verbs":["create","update","delete"]',
    },
    {
      title: 'an invalid object is refused',
      documents: [fine, { ...todoObject('first', ''), spec: { title: 1 } }],
      message: 'document 2',
    },
    {
      title: 'a reserved label is refused',
      documents: [{ ...fine, metadata: { name: 'defaults', labels: { 'platform.run/managed': 'true' } } }],
      message: 'document 1: metadata.labels',
    },
  ]
  test.each(refused)('$title, and nothing of the package is stored', async ({ documents, message, existing = [] }) => {
    for (const [kind, object, declarer] of existing) await ground[kind].create(object, declarer)
    const before = await ground.store.head()
    const applying = apply(documents)
    await expect(applying).rejects.toThrow(PluginFailed)
    await expect(applying).rejects.toThrow(message)
    expect(await ground.store.head()).toEqual(before)
  })

  test.each(['create', 'update', 'delete'])(
    'an approval without %s does not let it declare the object',
    async (verb) => {
      const [rule] = mayDeclare('defaults')
      const verbs = ['create', 'update', 'delete'].filter((one) => one !== verb)
      const definition = todoDefinition({ permissions: rule ? [{ ...rule, verbs }] : [] })
      const applying = applyDeclared(ground, { ...manifest, definition }, { objects: declared(fine), caller })
      await expect(applying).rejects.toThrow("is not this plugin's to declare")
      expect(await stored()).toEqual(nothing)
    },
  )

  describe('roles of a package', () => {
    const wide = roleTemplate('todo-admin', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }])

    test('grant no more than whoever installed it holds', async () => {
      const installer = await ground.user('ann')
      const applying = apply([wide], { installer })
      await expect(applying).rejects.toThrow('hands out more than you hold: get on secrets in the core group')
      expect(await stored()).toEqual(nothing)
    })

    test('may grant everything on the groups of the plugin, whatever the installer holds', async () => {
      const installer = await ground.user('ann')
      await apply([roleTemplate('todo-view')], { installer })
      expect((await stored()).roles).toEqual(['todo-view'])
    })

    test('stay when they are unchanged, even though their installer is gone', async () => {
      await apply([wide], { installer: await ground.user('ann', 'super-administrator') })
      const gone = { kind: 'user', name: 'gone', uid: 'gone', via: 'token' } as const
      await apply([wide], { installer: gone })
      const more = { ...wide, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'update'] }] }
      await expect(apply([more], { installer: gone })).rejects.toThrow('user "gone" can no longer sign in')
    })
  })

  test('declared objects that share a unique value are refused before the first is stored', async () => {
    await registerModels(ground, 'todo', [todoModel({ indexes: [{ name: 'spec.title', unique: true }] })])
    const applying = apply([todoObject('one', 'same'), todoObject('two', 'same')])
    await expect(applying).rejects.toThrow(/document [12]: todo "(one|two)": the value "same" of spec\.title is taken/)
    expect(await stored()).toEqual(nothing)
  })

  test('declared objects may refer to earlier ones, and to none that is missing', async () => {
    const after = { type: 'string', 'x-reference': { group: 'todo.example.com', plural: 'todos' } }
    const spec = { type: 'object', properties: { title: { type: 'string' }, after } }
    await registerModels(ground, 'todo', [
      todoModel({ versions: [{ name: 'v1alpha1', schema: { properties: { spec } } }] }),
    ])
    const second = (name: string) => ({ ...todoObject('second', 'Later'), spec: { title: 'Later', after: name } })
    await expect(apply([todoObject('first', 'Now'), second('other')])).rejects.toThrow('there is no "other"')
    expect(await stored()).toEqual(nothing)
    await apply([todoObject('first', 'Now'), second('first')])
    expect(await stored()).toEqual({ ...nothing, todos: ['first', 'second'] })
  })

  test('an installation is refused when the package declares what exists and is not its own', async () => {
    await ground.configMaps.create(configMap('defaults', ''), 'todo')
    await ground.configMaps.create(configMap('second', ''))
    await assertDeclaresOwn(ground, 'todo', declared(configMap('defaults', ''), configMap('new', '')))
    await expect(assertDeclaresOwn(ground, 'todo', declared(configMap('second', '')))).rejects.toThrow(
      'the ConfigMap "second" exists and is not from this plugin',
    )
  })

  describe('objects that are no longer declared', () => {
    const objects = declared(...all, configMap('second', ''))
    const prune = () => pruneDeclared(ground, { name: 'todo', groups: manifest.definition.groups }, { objects })

    test('are deleted', async () => {
      await apply(all)
      await prune()
      expect(await stored()).toEqual(nothing)
    })

    test('stay when they belong to people or to another plugin', async () => {
      await ground.configMaps.create(configMap('defaults', 'theirs'))
      await ground.configMaps.create(configMap('second', 'theirs'), 'mailer')
      await apply([todoObject('first', '')])
      expect((await declaredStored(ground, 'todo', objects)).map(({ object }) => object.name)).toEqual(['first'])
      await prune()
      expect(await stored()).toEqual({ ...nothing, configMaps: ['defaults', 'second'] })
    })

    test('that cannot be deleted are logged, and the others go', async () => {
      await apply(all)
      await ground.user('ann', 'todo-view')
      await prune()
      expect(await stored()).toEqual({ ...nothing, roles: ['todo-view'] })
      expect(ground.lines.join('')).toContain('failed to delete an object that the plugin no longer declares')
    })
  })
})
