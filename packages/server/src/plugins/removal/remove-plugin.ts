import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError, type ApiError, type PluginState } from '@pergola/api'
import type { Log } from '../../base/log.ts'
import type { WriteParts } from '../../models/verbs/create.ts'
import { deleteObject } from '../../models/verbs/delete.ts'
import { modelObjectName } from '../../models/definition/model-object-name.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { updateObject } from '../../models/verbs/update.ts'
import { allObjects } from '../../store/all-objects.ts'
import { keyOf } from '../../store/model-table.ts'
import type { ModelKey, StoredObject } from '../../store/store.ts'
import { pruneDeclared } from '../run/prune-declared.ts'
import type { InstalledPlugin } from '../run/known-plugins.ts'
import { specOf } from '../plugin-model.ts'
import { belongingsOf, coreModel, countOf, type BelongingParts } from './belongings.ts'

/** Retry interval for objects with other finalizers. */
const againMs = 1_000
/** Maximum number of concurrent deletions. */
const lanes = 16

export interface RemovalParts extends WriteParts, BelongingParts {
  readonly definitions: Model
  readonly plugins: Model
  readonly open: (model: ModelKey) => Promise<void>
  readonly log: Log
}

interface Removal {
  readonly plugin: InstalledPlugin
  readonly signal: AbortSignal
  readonly tell: (state: PluginState) => void
}

/** Removes what a plugin added, on one replica for all; repeating it continues. */
export async function removePlugin(parts: RemovalParts, removal: Removal): Promise<void> {
  const { plugin, tell } = removal
  // Another replica may have removed it already, and it may have been reinstalled since.
  if (!(await isWanted(parts, plugin))) return
  const { models, roles, bindings, objects } = await belongingsOf(parts, plugin)
  await pruneDeclared(parts, { name: plugin.name, groups: plugin.spec.groups }, { objects })
  for (const name of bindings) await mustDelete(parts, coreModel(parts, 'RoleBinding'), name)
  for (const name of roles) await mustDelete(parts, coreModel(parts, 'Role'), name)
  if (plugin.spec.removal !== 'purge') {
    const counts = await Promise.all(models.map(async (model) => `${await countOf(parts, model)} ${model.plural}`))
    const kept = counts.length === 0 ? 'it has left nothing' : `it has left ${counts.join(', ')}`
    return tell({ phase: 'Disabled', reason: 'Uninstalled', message: kept })
  }
  for (const model of referrersFirst(models)) await purge(parts, model, removal)
  const settings = `${plugin.name}-settings`
  const keepers = parts.models().filter(({ group, kind }) => group === '' && ['ConfigMap', 'Secret'].includes(kind))
  for (const model of keepers) await mustDelete(parts, model, settings)
  const { digest, candidate, previous } = plugin.spec
  for (const one of new Set([digest, candidate?.digest, previous?.digest])) {
    if (one !== undefined) await parts.packages.forget(one)
  }
  await parts.store.write([{ type: 'delete', model: parts.plugins, name: plugin.name }])
  parts.log.info({ plugin: plugin.name }, 'plugin removed')
}

async function isWanted({ store, plugins }: RemovalParts, { name, uid, spec }: InstalledPlugin): Promise<boolean> {
  const stored = await store.get(plugins, name)
  return stored?.uid === uid && specOf(fromData(stored.data)).removal === spec.removal
}

/** Objects that others refer to can be deleted after those. */
function referrersFirst(models: readonly Model[]): readonly Model[] {
  const sorted: Model[] = []
  const add = (model: Model) => {
    if (sorted.includes(model)) return
    const isReferred = ({ indexes }: Model) =>
      indexes.some(({ refersTo }) => refersTo && keyOf(refersTo) === keyOf(model))
    for (const other of models) if (other !== model && isReferred(other)) add(other)
    sorted.push(model)
  }
  for (const model of models) add(model)
  return sorted
}

/** Deletes every object of the model, then the model. Objects of other plugins that refer to one of them keep both. */
async function purge(parts: RemovalParts, model: Model, { plugin, signal, tell }: Removal): Promise<void> {
  await parts.open(model)
  for (;;) {
    signal.throwIfAborted()
    const before = await countOf(parts, model)
    const refused = await emptied(parts, model, { plugin, signal })
    const left = await countOf(parts, model)
    const kept = left === 0 ? await deleted(parts, parts.definitions, modelObjectName(model)) : refused
    if (left === 0 && !kept) return
    // Some of the objects that others referred to may be free now.
    if (left > 0 && left < before) continue
    const [first] = (await parts.store.list(model, { limit: 1, total: 'none' })).items
    const holders = first ? (fromData(first.data).metadata.finalizers ?? []).join(', ') : ''
    const why = [...(holders === '' ? [] : [`held by ${holders}`]), ...(kept ? [kept.message] : [])].join('; ')
    const message = `${left} ${model.plural} are left${why === '' ? '' : `, ${why}`}`
    tell({ phase: 'Disabled', reason: 'Purging', message })
    await sleep(againMs, undefined, { signal })
  }
}

/** Returns why an object could not be deleted: another one refers to it. */
async function emptied(
  parts: RemovalParts,
  model: Model,
  { plugin, signal }: Pick<Removal, 'plugin' | 'signal'>,
): Promise<ApiError | undefined> {
  const objects = allObjects(parts.store, model)
  let refused: ApiError | undefined
  const lane = async () => {
    for (;;) {
      signal.throwIfAborted()
      const next = await objects.next()
      if (next.done === true) return
      await letGo(parts, model, { stored: next.value, plugin })
      refused = (await deleted(parts, model, next.value.name)) ?? refused
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return refused
}

interface Held {
  readonly stored: StoredObject
  readonly plugin: InstalledPlugin
}

/** Removes the plugin's own finalizers, because no process of the plugin is left to do so. */
async function letGo(parts: RemovalParts, model: Model, { stored, plugin }: Held): Promise<void> {
  const isOwn = (finalizer: string) => plugin.spec.groups.includes(finalizer.split('/')[0] ?? '')
  if (!(fromData(stored.data).metadata.finalizers ?? []).some(isOwn)) return
  const bodyFor = (now: StoredObject) => {
    const object = fromData(now.data)
    const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => !isOwn(finalizer))
    return { ...object, metadata: { ...object.metadata, finalizers } }
  }
  await gone(updateObject(parts, model, { name: stored.name, bodyFor }))
}

async function mustDelete(parts: RemovalParts, model: Model, name: string): Promise<void> {
  const refused = await deleted(parts, model, name)
  if (refused) throw refused
}

/** Returns why it cannot be deleted now: others refer to it. */
async function deleted(parts: RemovalParts, model: Model, name: string): Promise<ApiError | undefined> {
  return gone(deleteObject(parts, model, { name }))
}

/** Ignores objects that were deleted already. */
async function gone(work: Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (isApiError(error) && error.reason === 'InUse') return error
    if (!isApiError(error) || error.reason !== 'NotFound') throw error
    return undefined
  }
}
