import { sectionWithItems, settingsObjectName, type PlanItem, type PlanSection, type PluginSpec } from '@pergola/api'
import type { Model } from '../../models/model.ts'
import { allObjects } from '../../store/all-objects.ts'
import type { Store } from '../../store/store.ts'
import { describeDependents, type DependentParts } from '../install/dependents.ts'
import type { InstalledPlugin } from '../run/known-plugins.ts'
import { PluginFailed } from '../run/not-started.ts'
import type { DeclaredObject } from '../package/declared-object.ts'
import { isForeign, isRole, declaredStored } from '../run/declared-objects.ts'
import { openPackage, type OpenedPackage } from '../package/open-package.ts'
import type { Packages } from '../package/packages.ts'

export interface BelongingParts {
  readonly store: Store
  readonly packages: Packages
  /** All registered models. */
  readonly models: () => readonly Model[]
}

/** Everything that exists because of a plugin. */
export interface Belongings {
  readonly models: readonly Model[]
  readonly roles: readonly string[]
  /** Bindings of these roles. */
  readonly bindings: readonly string[]
  /** Objects of foreign models that it declares. */
  readonly objects: readonly DeclaredObject[]
}

export async function belongingsOf(
  parts: BelongingParts,
  { name: plugin, spec }: Pick<InstalledPlugin, 'name' | 'spec'>,
): Promise<Belongings> {
  const opened = await openIfReadable(parts, spec)
  const declared = (await declaredStored(parts, plugin, opened?.objects ?? [])).map(({ object }) => object)
  const roles = declared.filter(isRole).map(({ name }) => name)
  const bindings = (await Promise.all(roles.map((role) => bindingsOf(parts, role)))).flat()
  const models = parts.models().filter(({ group }) => spec.groups.includes(group))
  return { models, roles, bindings, objects: declared.filter((object) => isForeign(spec, object)) }
}

/** Names of the bindings of a role. */
export async function bindingsOf(
  { store, models }: Pick<BelongingParts, 'store' | 'models'>,
  role: string,
): Promise<readonly string[]> {
  const where = [{ field: 'roleRef.name', is: { op: '=' as const, value: role } }]
  const names: string[] = []
  for await (const { name } of allObjects(store, coreModel({ models }, 'RoleBinding'), where)) names.push(name)
  return names
}

export function coreModel({ models }: Pick<BelongingParts, 'models'>, kind: string): Model {
  const model = models().find((known) => known.group === '' && known.kind === kind)
  if (!model) throw new Error(`there is no model of kind ${kind}`)
  return model
}

/** An unreadable package declares nothing. */
async function openIfReadable(
  { packages }: BelongingParts,
  { digest }: PluginSpec,
): Promise<OpenedPackage | undefined> {
  try {
    return await openPackage(packages, digest)
  } catch (error) {
    if (error instanceof PluginFailed) return undefined
    throw error
  }
}

/** Describes a removal before anything is removed. */
export async function describeRemoval(
  parts: BelongingParts & DependentParts,
  plugin: Pick<InstalledPlugin, 'name' | 'spec'>,
  data: 'keep' | 'purge',
): Promise<readonly PlanSection[]> {
  const { models, roles, bindings, objects } = await belongingsOf(parts, plugin)
  const { groups } = plugin.spec
  const counts = await Promise.all(
    models.map(async (model): Promise<PlanItem> => {
      const { group, plural } = model
      return { code: 'objects', values: { count: await countOf(parts, model), resource: plural, group } }
    }),
  )
  return [
    ...sectionWithItems(data === 'keep' ? 'kept' : 'deleted', [...counts, ...(await settingsOf(parts, plugin.name))]),
    ...sectionWithItems(
      'deleted-roles',
      roles.map((role) => ({ code: 'role', values: { role } })),
    ),
    ...sectionWithItems(
      'deleted-objects',
      objects.map(({ kind, name }) => ({ code: 'object', values: { kind, name } })),
    ),
    ...sectionWithItems(
      'deleted-bindings',
      bindings.map((name) => ({ code: 'binding', values: { name } })),
    ),
    ...(await describeDependents(parts, plugin.name)),
    ...sectionWithItems('afterwards', [
      { code: data === 'keep' ? 'data-kept' : 'groups-released', values: { groups } },
    ]),
  ]
}

/** The existing objects with settings of the plugin. */
async function settingsOf(parts: BelongingParts, plugin: string): Promise<readonly PlanItem[]> {
  const name = settingsObjectName(plugin)
  const kinds = [coreModel(parts, 'ConfigMap'), coreModel(parts, 'Secret')]
  const found = await Promise.all(kinds.map((model) => parts.store.get(model, name)))
  return kinds
    .filter((_, at) => found[at])
    .map(({ singular }) => ({ code: 'settings-object', values: { kind: singular, name } }))
}

export async function countOf({ store }: Pick<BelongingParts, 'store'>, model: Model): Promise<number> {
  const { total } = await store.list(model, { limit: 1, total: 'exact' })
  return total?.count ?? 0
}
