import { groupsWithAudiences, settingsObjectName, type Rule, type PluginSpec } from '@pergola/api'
import type { Feed } from '../../feed/feed.ts'
import { keepCurrent } from '../../feed/kept-current.ts'
import { fromData } from '../../models/object-bytes.ts'
import type { PluginClaims } from '../../access/access-source.ts'
import { allObjects } from '../../store/all-objects.ts'
import { keyOf } from '../../store/model-table.ts'
import type { Store, StoredObject } from '../../store/store.ts'
import { pluginKey, specOf } from '../plugin-model.ts'

/** An installed plugin; it need not run. */
export interface InstalledPlugin {
  readonly name: string
  readonly uid: string
  readonly spec: PluginSpec
}

/** The installed plugins, as stored in the database. */
export interface KnownPlugins extends Disposable {
  start(): Promise<void>
  all(): readonly InstalledPlugin[]
  /** The current claims. Returns a new object when something has changed. */
  readonly claims: () => PluginClaims
  /** Calls the listener when something has changed, until it is disposed of. */
  onChange(listener: () => void): Disposable
}

export interface KnownPluginsParts {
  readonly store: Store
  readonly feed: Feed
}

export function createKnownPlugins({ store, feed }: KnownPluginsParts): KnownPlugins {
  let installed = new Map<string, InstalledPlugin>()
  let claims: PluginClaims | undefined
  const listeners = new Set<() => void>()
  const changed = () => {
    claims = undefined
    for (const listener of listeners) listener()
  }
  const kept = keepCurrent({
    store,
    feed,
    what: 'plugins',
    load: async () => {
      const read = new Map<string, InstalledPlugin>()
      for await (const stored of allObjects(store, pluginKey)) read.set(stored.name, installedPlugin(stored))
      installed = read
      changed()
    },
    apply: (changes) => {
      const own = changes.filter(({ model }) => keyOf(model) === keyOf(pluginKey))
      for (const { op, object } of own) {
        if (op === 'deleted') installed.delete(object.name)
        else installed.set(object.name, installedPlugin(object))
      }
      if (own.length > 0) changed()
    },
  })
  return {
    start: () => kept.start(),
    all: () => [...installed.values()],
    claims: () => (claims ??= claimsOf(installed)),
    onChange: (listener) => {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    [Symbol.dispose]: () => kept[Symbol.dispose](),
  }
}

function installedPlugin({ name, uid, data }: StoredObject): InstalledPlugin {
  return { name, uid, spec: specOf(fromData(data)) }
}

function claimsOf(installed: ReadonlyMap<string, InstalledPlugin>): PluginClaims {
  const owners = new Map(
    [...installed.values()].flatMap(({ name, spec }) => groupsWithAudiences(spec.groups).map((group) => [group, name])),
  )
  return {
    pluginOf: (group) => owners.get(group),
    rulesOf: (name) => {
      const plugin = installed.get(name)
      return plugin ? rulesOf(plugin) : []
    },
  }
}

/** Everything in its own groups, its settings, and the approved permissions. */
function rulesOf({ name, spec: { groups, permissions } }: InstalledPlugin): readonly Rule[] {
  const resourceNames = [settingsObjectName(name)]
  return [
    { apiGroups: [...groupsWithAudiences(groups)], resources: ['*'], verbs: ['*'] },
    { apiGroups: [''], resources: ['configmaps', 'secrets'], resourceNames, verbs: ['get', 'watch'] },
    // Each operation of a batch needs its own right.
    { apiGroups: ['api.platform.run'], resources: ['batches'], verbs: ['create'] },
    ...permissions,
  ]
}
