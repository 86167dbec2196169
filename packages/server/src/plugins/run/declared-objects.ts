import { isApiError, isRoleKey, type Rule } from '@pergola/api'
import { ruleMatches } from '../../access/decisions/rule-matches.ts'
import type { Caller, PluginCaller } from '../../call/call.ts'
import { isJsonObject } from '../../base/json-object.ts'
import { createObject, type WriteParts } from '../../models/verbs/create.ts'
import { declarerOf } from '../../models/definition/declarer.ts'
import { pathOf, type Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { updateObject } from '../../models/verbs/update.ts'
import { writeProblem } from '../../models/verbs/write-errors.ts'
import { writeTogether, type Wish } from '../../models/batch/write-together.ts'
import type { ModelKey, StoredObject } from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import type { DeclaredObject } from '../package/declared-object.ts'
import type { SentMetadata } from '../../validation/metadata.ts'
import { reservedKeyErrors } from '../../validation/reserved-keys.ts'
import type { Manifest } from '../package/manifest.ts'
import { PluginFailed } from './not-started.ts'
import type { PluginPackage } from '../package/read-package.ts'
import { templateFault } from '../package/role-template-fault.ts'

/** The objects that a package declares; throws `PluginFailed` for the first invalid document. */
export function declaredObjects({ documents }: Pick<PluginPackage, 'documents'>): readonly DeclaredObject[] {
  const objects = [...documents].flatMap(([file, bodies]) =>
    bodies.map((body, at) => declaredObject(body, `${file}, document ${at + 1}`)),
  )
  refuseRepeated(objects)
  return objects
}

/** Each is reviewed once, so each may be declared once. */
function refuseRepeated(objects: readonly DeclaredObject[]): void {
  const places = new Map<string, string>()
  for (const { apiVersion, kind, name, where } of objects) {
    const key = JSON.stringify([apiVersion, kind, name])
    const first = places.get(key)
    if (first !== undefined) throw new PluginFailed(`${where} declares the ${kind} "${name}" again, after ${first}`)
    places.set(key, where)
  }
}

function declaredObject(body: unknown, where: string): DeclaredObject {
  const { apiVersion, kind, metadata } = isJsonObject(body) ? body : {}
  const name = isJsonObject(metadata) ? metadata['name'] : undefined
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') {
    throw new PluginFailed(`${where} needs apiVersion, kind and metadata.name`)
  }
  return { where, apiVersion, kind, name, body: body as Record<string, unknown> }
}

export interface ApplyParts extends WriteParts {
  /** All registered models. */
  readonly models: () => readonly Model[]
}

/** The groups of the plugin that declares the objects. */
export interface Declarer {
  readonly groups: readonly string[]
}

export interface Declared {
  readonly objects: readonly DeclaredObject[]
  /** The caller for objects of foreign models: the plugin must hold every right that these grant. */
  readonly caller?: PluginCaller
  /** The caller who installed the package: when stored, the roles grant no more than this caller holds. */
  readonly installer?: Caller | undefined
}

interface Planned {
  readonly object: DeclaredObject
  readonly model: Model
  readonly declaredBy: string
  readonly caller?: PluginCaller
}

/** Makes the stored objects match the declared ones. Checks everything before the first write. */
export async function applyDeclared(parts: ApplyParts, manifest: Manifest, declared: Declared): Promise<void> {
  const planned = await checkDeclared(parts, manifest, declared)
  // Checked together: some of the roles could grant more than all of them.
  await applyRoles(parts, planned, declared.installer)
  const others = planned.filter(({ object }) => !isRole(object))
  for (const { model, ...one } of others) await apply(parts, model, { ...one, dryRun: false })
}

async function applyRoles(parts: ApplyParts, planned: readonly Planned[], caller: Caller | undefined): Promise<void> {
  const roles = planned.filter(({ object }) => isRole(object))
  const wishes = roles.map(({ object, model, declaredBy }): Wish => {
    const { name, where } = object
    return { model, name, where, declaredBy, caller, bodyFor: declaredBodyFor(object, declaredBy) }
  })
  try {
    if (wishes.length > 0) await writeTogether(parts, wishes)
  } catch (error) {
    throw isApiError(error) ? new PluginFailed(error.message) : error
  }
}

/** Throws `PluginFailed` for the first object that could not be applied. */
export async function checkDeclared(
  parts: ApplyParts,
  manifest: Manifest,
  { objects, caller }: Declared,
): Promise<readonly Planned[]> {
  const planned = objects.map((object) => {
    const answering = isForeign(manifest.definition, object) ? caller : undefined
    const model = modelOf(parts, manifest, object)
    return { object, model, declaredBy: manifest.name, ...(answering && { caller: answering }) }
  })
  const names = new Set(planned.map(({ object: { name }, model }) => nameIn(model, name)))
  for (const { model, ...one } of planned) {
    await apply(parts, model, { ...one, dryRun: true }).catch((error: unknown) => {
      if (!isPending(error, names)) throw error
    })
  }
  await assertDistinct(parts, manifest, planned)
  return planned
}

const nameIn = ({ group, plural }: ModelKey, name: string): string => `${plural}.${group}/${name}`

/** Nothing is wrong but references to objects that are declared, too. They must come first in the files. */
function isPending(error: unknown, declared: ReadonlySet<string>): boolean {
  const cause = error instanceof PluginFailed ? error.cause : undefined
  if (!isApiError(cause) || cause.reason !== 'Invalid') return false
  return (cause.errors ?? []).every(
    ({ rule, params }) =>
      rule === 'reference' && declared.has(`${String(params?.['resource'])}/${String(params?.['name'])}`),
  )
}

/** Objects that are valid alone may share a value that must be unique. */
async function assertDistinct(parts: ApplyParts, { definition }: Manifest, planned: readonly Planned[]): Promise<void> {
  const own = planned.filter(
    ({ object, model }) => !isRole(object) && !isForeign(definition, object) && isUnique(model),
  )
  const wishes = own.map(({ object: { name, where, body }, model }): Wish => ({
    model,
    name,
    where,
    bodyFor: () => body,
  }))
  try {
    if (wishes.length > 1) await writeTogether(parts, wishes, { dryRun: true })
  } catch (error) {
    // The objects that they refer to are stored first.
    if (error instanceof WriteConflict && error.kind === 'target') return
    if (!(error instanceof WriteConflict) || error.kind !== 'duplicate') throw error
    const { name, model } = error.operation
    const second = own.findLast((one) => one.object.name === name && one.model.plural === model.plural)
    if (!second) throw error
    throw new PluginFailed(`${second.object.where}: ${(writeProblem(error, second.model) as Error).message}`)
  }
}

function isUnique({ definition: { indexes = [] } }: Model): boolean {
  return indexes.some(({ unique }) => unique)
}

/** Throws `PluginFailed` when the plugin may not declare the object. */
export function modelOf({ models }: ApplyParts, manifest: Manifest, object: DeclaredObject): Model {
  const { apiVersion, kind, where } = object
  const model = servedModel(models, object)
  if (!model) throw new PluginFailed(`${where}: there is no ${kind} in ${apiVersion}`)
  const fault = isRole(object) ? templateFault(manifest, object) : foreignFault(manifest, model, object)
  if (fault !== undefined) throw new PluginFailed(`${where}: ${fault}`)
  const metadata = object.body['metadata'] as SentMetadata
  const [reserved] = reservedKeyErrors(metadata, undefined, isRole(object) ? isRoleKey : undefined)
  if (reserved) throw new PluginFailed(`${where}: ${reserved.field} ${reserved.message}`)
  return model
}

export function isRole({ apiVersion, kind }: DeclaredObject): boolean {
  return apiVersion === 'v1alpha1' && kind === 'Role'
}

/** An object of a foreign model, and not a role template. */
export function isForeign({ groups }: Declarer, object: DeclaredObject): boolean {
  const [group = '', version] = object.apiVersion.split('/')
  return !isRole(object) && !groups.includes(version === undefined ? '' : group)
}

/** A declared object is created, updated and deleted, so all three verbs must have been approved. */
const declaringVerbs = ['create', 'update', 'delete'] as const

function foreignFault(manifest: Manifest, model: Model, object: DeclaredObject): string | undefined {
  if (!isForeign(manifest.definition, object)) return undefined
  const { group, version, plural } = model
  const path = `${pathOf(model)}/${object.name}`
  const asked = { kind: 'resource' as const, path, group, version, resource: plural, name: object.name }
  const { permissions } = manifest.definition
  const isAllowed = (verb: (typeof declaringVerbs)[number]) =>
    permissions.some((rule) => ruleMatches(rule, { ...asked, verb }))
  if (declaringVerbs.every(isAllowed)) return undefined
  const rule: Rule = {
    apiGroups: [group],
    resources: [plural],
    resourceNames: [object.name],
    verbs: [...declaringVerbs],
  }
  return `${object.kind} in ${object.apiVersion} is not this plugin's to declare; to ask an operator for it, add to "permissions" of the plugin ${JSON.stringify(rule)}`
}

/** The declared body; throws `PluginFailed` if the stored object does not belong to the plugin. */
export function declaredBodyFor(object: DeclaredObject, plugin: string): (stored: StoredObject | undefined) => unknown {
  return (stored) => {
    if (!stored) return object.body
    assertOwn(object, plugin, stored)
    const { status } = fromData(stored.data)
    // A document without a status leaves it to the controllers.
    return object.body['status'] === undefined && status !== undefined ? { ...object.body, status } : object.body
  }
}

function assertOwn({ where, kind, name }: DeclaredObject, plugin: string, { data }: StoredObject): void {
  const declarer = declarerOf(fromData(data))
  if (declarer === plugin) return
  const owner = declarer === undefined ? 'is not from this plugin' : `belongs to the plugin ${declarer}`
  throw new PluginFailed(`${where}: the ${kind} "${name}" exists and ${owner}; use another name, or delete it first`)
}

/** Throws `PluginFailed` if the package declares an object that exists and does not belong to the plugin. */
export async function assertDeclaresOwn(
  { store, models }: Pick<ApplyParts, 'store' | 'models'>,
  plugin: string,
  objects: readonly DeclaredObject[],
): Promise<void> {
  for (const object of objects) {
    const model = servedModel(models, object)
    const stored = model && (await store.get(model, object.name))
    if (stored) assertOwn(object, plugin, stored)
  }
}

/** Undefined for a model that is not served. */
export function servedModel(
  models: ApplyParts['models'],
  { apiVersion, kind }: Pick<DeclaredObject, 'apiVersion' | 'kind'>,
): Model | undefined {
  return models().find((known) => known.apiVersion === apiVersion && known.kind === kind)
}

/** The existing objects that the plugin has declared, with their models. */
export async function declaredStored(
  { store, models }: Pick<ApplyParts, 'store' | 'models'>,
  plugin: string,
  objects: readonly DeclaredObject[],
): Promise<readonly { readonly object: DeclaredObject; readonly model: Model }[]> {
  const found = await Promise.all(
    objects.map(async (object) => {
      const model = servedModel(models, object)
      const stored = model && (await store.get(model, object.name))
      return stored && declarerOf(fromData(stored.data)) === plugin ? [{ object, model }] : []
    }),
  )
  return found.flat()
}

interface Applied extends Omit<Planned, 'model'> {
  readonly dryRun: boolean
}

async function apply(parts: WriteParts, model: Model, { object, ...how }: Applied): Promise<void> {
  const { name, body, where } = object
  try {
    const there = await parts.store.get(model, name)
    if (!there) await createObject(parts, model, { body, ...how })
    else await updateObject(parts, model, { name, bodyFor: declaredBodyFor(object, how.declaredBy), ...how })
  } catch (error) {
    if (!isApiError(error)) throw error
    throw new PluginFailed(`${where}: ${error.message}`, { cause: error })
  }
}
