import {
  groupsWithAudiences,
  type ModelDeclaration,
  type PluginDefinition,
  type PluginSpec,
  type PluginStatus,
  type Rule,
} from '@pergola/api'
import { openStoredAccess } from '../../access/contract/stored-access.ts'
import type { PluginClaims } from '../../access/access-source.ts'
import { systemClock as clock } from '../../base/clock.ts'
import { createLog, type Log } from '../../base/log.ts'
import type { UserCaller } from '../../call/call.ts'
import { compilerHere } from '../../models/contract/replica.ts'
import { createDefinitionModel } from '../../models/definition/definition-model.ts'
import { createIndexBuilder } from '../../models/definition/index-builder.ts'
import { modelObjectName } from '../../models/definition/model-object-name.ts'
import { createModelRegistry } from '../../models/definition/registry.ts'
import { declarationOf, type Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import type { JsonObject } from '../../models/object.ts'
import { createConfigMapModel } from '../../models/secrets/config-map-model.ts'
import { createSecretModel } from '../../models/secrets/secret-model.ts'
import { createSecretSealing } from '../../models/secrets/secret-sealing.ts'
import { createObject, type WriteParts } from '../../models/verbs/create.ts'
import { deleteObject } from '../../models/verbs/delete.ts'
import { updateObject } from '../../models/verbs/update.ts'
import { allObjects } from '../../store/all-objects.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import type { ModelKey } from '../../store/store.ts'
import { createPackages, type Packages } from '../package/packages.ts'
import { digestOf } from '../package/unpack-archive.ts'
import { createPluginModel, specOf } from '../plugin-model.ts'
import type { InstalledPlugin } from '../run/known-plugins.ts'

/** The group of the plugin `todo`. */
export const todoGroup = 'todo.example.com'
const todosKey: ModelKey = { group: todoGroup, plural: 'todos' }

/** The model `todos`, without indexes unless changed. */
export function todoModel(change: Partial<ModelDeclaration> = {}): ModelDeclaration {
  const spec = { type: 'object', properties: { title: { type: 'string' }, state: { type: 'string' } } }
  return {
    group: todoGroup,
    kind: 'Todo',
    singular: 'todo',
    plural: 'todos',
    versions: [{ name: 'v1alpha1', schema: { properties: { spec, status: { type: 'object' } } } }],
    check: false,
    ...change,
  }
}

/** The definition of the plugin `todo`, with that model. */
export function todoDefinition(change: Partial<PluginDefinition> = {}): PluginDefinition {
  return {
    protocol: 1,
    name: 'todo',
    groups: [todoGroup],
    api: `${todoGroup}/v1alpha1`,
    models: [todoModel()],
    routes: [],
    apps: [],
    owned: [],
    roles: [],
    controllers: [],
    schedules: [],
    permissions: [],
    ...change,
  }
}

/** A role template of the plugin `todo`. */
export function roleTemplate(name: string, rules: readonly object[] = [todoRule]): object {
  const metadata = { name, labels: { 'platform.run/role-template': 'true' } }
  return { apiVersion: 'v1alpha1', kind: 'Role', metadata, rules }
}
const todoRule = { apiGroups: [todoGroup], resources: ['todos'], verbs: ['get'] }

export function configMap(name: string, value: string): object {
  return { apiVersion: 'v1alpha1', kind: 'ConfigMap', metadata: { name }, data: { value } }
}

export function todoObject(name: string, title: string): object {
  return { apiVersion: `${todoGroup}/v1alpha1`, kind: 'Todo', metadata: { name }, spec: { title } }
}

/** The approval that lets a plugin declare these config maps. */
export function mayDeclare(...resourceNames: readonly string[]): readonly Rule[] {
  return [{ apiGroups: [''], resources: ['configmaps'], resourceNames, verbs: ['create', 'update', 'delete'] }]
}

/** What a package holds; its code never runs here. */
export interface SamplePackage {
  readonly definition?: PluginDefinition
  readonly version?: string
  /** The range of hosts that it needs. */
  readonly requires?: string
  /** The declared objects, one document each. */
  readonly objects?: readonly object[]
  readonly program?: string
}

/** Objects of a model, as the host itself reads and writes them. */
interface Objects {
  names(): Promise<readonly string[]>
  get(name: string): Promise<JsonObject | undefined>
  create(body: object, declaredBy?: string): Promise<void>
  update(name: string, change: (object: JsonObject) => object): Promise<void>
  remove(name: string): Promise<void>
}

/** The ground that plugins are installed on: the built-in models, definitions and packages on a SQLite store, without HTTP. */
export interface PluginGround extends AsyncDisposable, WriteParts {
  readonly log: Log
  /** What was logged, as JSON. */
  readonly lines: readonly string[]
  readonly definitions: Model
  readonly plugins: Model
  readonly packages: Packages
  models(): readonly Model[]
  open(key: ModelKey): Promise<void>
  build(key: ModelKey): void
  /** While it is true, nobody builds an index. */
  readonly hold: { builds: boolean }
  readonly roles: Objects
  readonly bindings: Objects
  readonly configMaps: Objects
  readonly secrets: Objects
  readonly todos: Objects
  /** The declared models, such as `todos.todo.example.com`. */
  declared(): Promise<readonly string[]>
  /** The stored definition of the model of the same name. */
  definition(spec: ModelDeclaration): Promise<StoredDefinition | undefined>
  /** A user who may sign in and holds these roles. */
  user(name: string, ...roles: readonly string[]): Promise<UserCaller>
  /** Stores a package; returns its digest. */
  keep(sample: SamplePackage): Promise<string>
  /** Stores a plugin, enabled and without permissions unless changed. */
  install(name: string, change: Partial<PluginSpec>): Promise<InstalledPlugin>
  /** Changes the spec of a plugin. */
  change(name: string, change: (spec: PluginSpec) => PluginSpec): Promise<InstalledPlugin>
  /** The plugin as stored now. */
  stored(name: string): Promise<InstalledPlugin>
  isInstalled(name: string): Promise<boolean>
  statusOf(name: string): Promise<PluginStatus | undefined>
  /** Removes everything that a test has made. Opening another ground would compile the schemas of all models again. */
  clear(): Promise<void>
}

type StoredDefinition = ModelDeclaration & { readonly next?: ModelDeclaration }

export async function openPluginGround(): Promise<PluginGround> {
  const store = openSqliteStore(':memory:')
  const lines: string[] = []
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) })
  const installed = new Map<string, InstalledPlugin>()
  let claims = claimsOf(installed)
  const access = await openStoredAccess(store, () => claims)
  const plugins = createPluginModel()
  const secrets = createSecretModel({ sealing: createSecretSealing([]), mayGet: async () => true })
  const kept = [plugins, createConfigMapModel(), secrets]
  const builtIn = [...access.builtIn, ...kept]
  const holderOf = (group: string) => claims.pluginOf(group)
  const compiler = compilerHere
  const registry = createModelRegistry({ store, compiler })
  const { refresh } = registry
  const definitions = createDefinitionModel({ store, clock, compiler, refresh, holderOf })
  for (const model of [...kept, definitions]) await store.openModel(declarationOf(model))
  const builder = createIndexBuilder({ store, definitions, log })
  const hold = { builds: false }
  const start = (model: Model | undefined) => void (model && !hold.builds && builder.start(model))
  const nobody = () => Promise.reject(new Error('no plugin is asked here'))
  const asked = { evaluate: nobody, evaluateAhead: nobody }
  await registry.start({ builtIn: [definitions, ...builtIn], ...asked, onOpen: start })
  const builtInNames = new Set((await store.list(access.roles, { limit: 1_000 })).items.map(({ name }) => name))
  const models = () => registry.all()
  const modelOf = ({ group, plural }: ModelKey): Model => {
    const model = models().find((one) => one.group === group && one.plural === plural)
    if (!model) throw new Error(`there is no model ${plural} of ${group}`)
    return model
  }
  const parts = { store, clock, log, definitions, plugins, models, open: refresh }
  const packages = createPackages(store, { read: async (bytes) => read(bytes) })
  const objects = (key: ModelKey): Objects => ({
    names: async () => {
      const { items } = await store.list(modelOf(key), { limit: 1_000 })
      return items.map(({ name }) => name).toSorted()
    },
    get: async (name) => {
      const stored = await store.get(modelOf(key), name)
      return stored && fromData(stored.data)
    },
    create: async (body, declaredBy) => {
      await createObject(parts, modelOf(key), { body, ...(declaredBy !== undefined && { declaredBy }) })
    },
    update: async (name, change) => {
      await updateObject(parts, modelOf(key), { name, bodyFor: ({ data }) => change(fromData(data)) })
    },
    remove: async (name) => void (await deleteObject(parts, modelOf(key), { name })),
  })
  const empty = async (model: Model, except: ReadonlySet<string> = new Set()) => {
    for await (const { name } of allObjects(store, model)) {
      if (!except.has(name)) await store.write([{ type: 'delete', model, name }])
    }
  }
  const stored = async (name: string): Promise<InstalledPlugin> => {
    const found = await store.get(plugins, name)
    if (!found) throw new Error(`there is no plugin ${name}`)
    const plugin = { name, uid: found.uid, spec: specOf(fromData(found.data)) }
    installed.set(name, plugin)
    claims = claimsOf(installed)
    return plugin
  }
  return {
    ...parts,
    packages,
    lines,
    hold,
    build: (key: ModelKey) => start(models().find((one) => one.group === key.group && one.plural === key.plural)),
    roles: objects({ group: '', plural: 'roles' }),
    bindings: objects({ group: '', plural: 'rolebindings' }),
    configMaps: objects({ group: '', plural: 'configmaps' }),
    secrets: objects({ group: '', plural: 'secrets' }),
    todos: objects(todosKey),
    declared: async () => {
      const { items } = await store.list(definitions, { limit: 100 })
      const specs = items.map(({ data }) => fromData(data)['spec'] as ModelDeclaration)
      return specs.map(({ group, plural }) => `${plural}.${group}`).toSorted()
    },
    definition: async (spec: ModelDeclaration) => {
      const found = await store.get(definitions, modelObjectName(spec))
      return found && (fromData(found.data)['spec'] as StoredDefinition)
    },
    user: async (name: string, ...roles: readonly string[]): Promise<UserCaller> => {
      const { uid } = await createObject(parts, access.users, { body: { metadata: { name } } })
      const subjects = [{ kind: 'User', name }]
      for (const role of roles) {
        const roleRef = { kind: 'Role', name: role }
        await createObject(parts, access.bindings, {
          body: { metadata: { name: `${name}-${role}` }, subjects, roleRef },
        })
      }
      return { kind: 'user', name, uid, via: 'token' }
    },
    keep: async (sample: SamplePackage): Promise<string> => {
      const bytes = Buffer.from(JSON.stringify(sample))
      const digest = digestOf(bytes)
      await packages.keep(digest, bytes)
      return digest
    },
    install: async (name: string, change: Partial<PluginSpec>): Promise<InstalledPlugin> => {
      const spec = { version: '1.0.0', digest: '', groups: [todoGroup], permissions: [], enabled: true, ...change }
      await createObject(parts, plugins, { body: { metadata: { name }, spec } })
      return stored(name)
    },
    change: async (name: string, change: (spec: PluginSpec) => PluginSpec): Promise<InstalledPlugin> => {
      await updateObject(parts, plugins, {
        name,
        bodyFor: ({ data }) => ({ metadata: {}, spec: change(specOf(fromData(data))) }),
      })
      return stored(name)
    },
    stored,
    isInstalled: async (name: string) => (await store.get(plugins, name)) !== undefined,
    statusOf: async (name: string): Promise<PluginStatus | undefined> => {
      const found = await store.get(plugins, name)
      return found && (fromData(found.data)['status'] as PluginStatus | undefined)
    },
    clear: async () => {
      hold.builds = false
      lines.length = 0
      for await (const { data } of allObjects(store, definitions)) {
        const spec = fromData(data)['spec'] as ModelDeclaration
        await empty(modelOf(spec))
        await deleteObject(parts, definitions, { name: modelObjectName(spec) })
      }
      for (const model of builtIn) await empty(model, builtInNames)
      await packages.forgetOthers(new Set())
      installed.clear()
      claims = claimsOf(installed)
    },
    [Symbol.asyncDispose]: async () => {
      await builder[Symbol.asyncDispose]()
      access[Symbol.dispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

function read(bytes: Buffer) {
  const { definition = todoDefinition(), version = '1.0.0', requires, objects = [], program = '' } = parsed(bytes)
  const { name } = definition
  return {
    digest: digestOf(bytes),
    manifest: { name, version, definition, ...(requires !== undefined && { requires }) },
    files: new Map([['plugin.js', Buffer.from(program)]]),
    documents: new Map([['extensions/objects.yaml', objects]]),
  }
}

function parsed(bytes: Buffer): SamplePackage {
  return JSON.parse(bytes.toString()) as SamplePackage
}

function claimsOf(installed: ReadonlyMap<string, InstalledPlugin>): PluginClaims {
  const plugins = [...installed.values()]
  return {
    pluginOf: (group) => plugins.find(({ spec }) => groupsWithAudiences(spec.groups).includes(group))?.name,
    rulesOf: (name) => {
      const spec = installed.get(name)?.spec
      if (!spec) return []
      return [{ apiGroups: [...groupsWithAudiences(spec.groups)], resources: ['*'], verbs: ['*'] }, ...spec.permissions]
    },
  }
}
