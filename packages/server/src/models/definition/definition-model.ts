import { ApiError, resourceNameFault, schemaReferences, usersTarget, type FieldError } from '@pergola/api'
import type { Clock } from '../../base/clock.ts'
import { deepEqual } from '../../base/deep-equal.ts'
import { isJsonObject } from '../../base/json-object.ts'
import type { DuplicatePair } from '../../store/index-build.ts'
import { allObjects } from '../../store/all-objects.ts'
import { keyOf } from '../../store/model-table.ts'
import type { ModelKey, Store } from '../../store/store.ts'
import { fromData } from '../object-bytes.ts'
import { fieldError } from '../../call/field-error.ts'
import type { SchemaCompiler } from '../../validation/schema-compiler.ts'
import { createBuiltInModel } from './built-in-model.ts'
import type { Model, ModelIndex, WriteContext } from '../model.ts'
import { declarerOf } from './declarer.ts'
import type { JsonObject } from '../object.ts'
import { definitionErrors } from './definition-errors.ts'
import { definitionOf, type ModelDefinition, type ModelSpec } from './definition.ts'
import { modelObjectName } from './model-object-name.ts'
import { modelSchema } from './model-schema.ts'

/** A schema may have 32 levels, of two or more levels of JSON each, and may state values that nest as deep as an object. */
export const maxJsonDepth = 160

/** The resource whose objects define models. */
const definition: ModelDefinition = {
  group: 'plugin.platform.run',
  version: 'v1alpha1',
  kind: 'Model',
  singular: 'model',
  plural: 'models',
  statusSubresource: true,
  schema: modelSchema,
  indexes: [{ name: 'spec.group' }, { name: 'status.edition', order: 'DESC' }],
  display: { columns: ['spec.group', 'spec.kind', 'spec.plural', 'status.phase'] },
}

/** Where the store keeps definitions. */
export const definitionKey: ModelKey = { group: definition.group, plural: definition.plural }

/** One namespace per group: no two models may share a kind, singular or plural. */
const namesIndex: ModelIndex = {
  name: 'names',
  type: 'string',
  multi: true,
  unique: true,
  form: 'names',
  descending: false,
  ofStatus: false,
  valuesOf: (object) => namesOf(specOf(object)).map(({ pointer, name: value }) => ({ pointer, value })),
}

function namesOf({ group, kind, singular, plural }: Partial<ModelSpec>) {
  return [
    { pointer: '/spec/kind', name: `${group} kind ${kind}` },
    { pointer: '/spec/singular', name: `${group} ${singular}` },
    { pointer: '/spec/plural', name: `${group} ${plural}` },
  ]
}

export interface DefinitionParts {
  readonly store: Store
  readonly clock: Clock
  readonly compiler: SchemaCompiler
  /** Opens the model on this replica as it is defined now. */
  readonly refresh: (model: ModelKey) => Promise<void>
  /** The plugin that has claimed a group. */
  readonly holderOf: (group: string) => string | undefined
}

export function createDefinitionModel(parts: DefinitionParts): Model {
  const model: Model = createBuiltInModel(definition, {
    ownIndexes: [namesIndex],
    rules: {
      ownsStatus: true,
      derivesName: true,
      maxJsonDepth,
      prepare: (object, context) => prepare(parts.clock, object, context),
      check: (object, context) => check(parts, { model, object }, context),
      beforeDelete: async (object, { dryRun, caller }) => {
        if (caller) refuseOthers(parts, object, object)
        await endModel(parts, specOf(object), dryRun)
      },
      afterWrite: (object) => parts.refresh(specOf(object)),
    },
  })
  return model
}

/** The `spec` of an object; before validation it may be anything that was sent. */
export function specOf(object: JsonObject): ModelSpec {
  return (object['spec'] ?? {}) as ModelSpec
}

export interface ModelStatus {
  /** The edition of the model in the store: milliseconds since 1970, or one more than the previous edition. */
  readonly edition: number
  readonly phase: 'Ready' | 'Building' | 'DuplicateValues'
  /** Why the last attempt to build failed; another one follows. */
  readonly message?: string
  /** The values that keep a unique index from being built. */
  readonly duplicates?: { readonly index: string; readonly pairs: readonly DuplicatePair[] }
  readonly references?: readonly ReferenceStatus[]
}

export interface ReferenceStatus {
  readonly path: string
  readonly phase: 'Ready' | 'Building'
  /** Values that named no object when they were last counted: after a build, and at a start while there were some. */
  readonly dangling?: number
}

export function statusOf(object: JsonObject): ModelStatus {
  return object['status'] as ModelStatus
}

/** Later validation refuses other values; this keeps the derived name, which was not sent, from failing first. */
function derivedName({ group, plural }: Partial<ModelSpec>): string {
  const isNamed = typeof group === 'string' && typeof plural === 'string' && resourceNameFault(plural) === undefined
  return modelObjectName(isNamed ? { group, plural } : { group: 'unknown', plural: 'unknown' })
}

/** Derives the object's name from group and plural; a changed definition gets a new edition. */
function prepare(clock: Clock, object: JsonObject, { stored }: WriteContext): JsonObject {
  const { metadata } = object
  const due = derivedName(specOf(object))
  const isUnnamed = isJsonObject(metadata) && metadata['name'] === undefined
  const named = isUnnamed ? { ...object, metadata: { ...metadata, name: due } } : object
  if (stored && deepEqual(specOf(stored), specOf(object))) return named
  const before = stored ? statusOf(stored).edition : 0
  const indexed = stored && !deepEqual(indexedBy(stored), indexedBy(object))
  const status: ModelStatus = { edition: Math.max(clock.now(), before + 1), phase: indexed ? 'Building' : 'Ready' }
  return { ...named, status }
}

function indexedBy(object: JsonObject): unknown {
  const { indexes, next, versions } = specOf(object)
  return [indexes, referencesIn(versions), next?.indexes, referencesIn(next?.versions)]
}

/** Before validation, the versions may be anything that was sent. */
function referencesIn(versions: unknown): unknown {
  const [version] = Array.isArray(versions) ? (versions as readonly unknown[]) : []
  if (!isJsonObject(version) || !isJsonObject(version['schema'])) return []
  const { properties } = version['schema']
  if (!isJsonObject(properties) || !isJsonObject(properties['spec'])) return []
  return schemaReferences({ properties: { spec: properties['spec'] } })
}

interface Declared {
  readonly model: Model
  readonly object: JsonObject
}

async function check(
  parts: DefinitionParts,
  declared: Declared,
  { stored, caller, store = parts.store }: WriteContext,
): Promise<readonly FieldError[]> {
  const spec = specOf(declared.object)
  const { next } = spec
  if (caller && !deepEqual(next, stored && specOf(stored).next)) {
    return [fieldError('/spec/next', 'upgrade', 'is said by the upgrade of a plugin alone')]
  }
  const byHost = caller === undefined
  if (!byHost) refuseOthers(parts, declared.object, stored)
  const errors = [
    ...(stored ? [] : objectNameErrors(declared.object)),
    ...definitionErrors(spec, { byHost }),
    ...(stored ? changeErrors(specOf(stored), spec) : []),
    ...(next ? [...definitionErrors(next, { byHost }), ...changeErrors(spec, next)] : []),
  ]
  if (errors.length > 0) return errors
  // The host checks a package as a whole, because its models are registered one after the other.
  const missing = byHost ? [] : await targetErrors(store, declared)
  if (missing.length > 0) return missing
  const compiled = await Promise.all([spec, ...(next ? [next] : [])].map((one) => compileErrors(parts, one)))
  return [...(await takenErrors(store, declared)), ...compiled.flat()]
}

/** The package of a plugin alone declares models in its groups, and changes them. */
function refuseOthers({ holderOf }: DefinitionParts, object: JsonObject, stored: JsonObject | undefined): void {
  const { group, plural } = specOf(object)
  const declarer = declarerOf(stored)
  if (declarer !== undefined) {
    throw new ApiError(
      'InUse',
      `${plural} of ${group} belong to the plugin ${declarer}; only its package changes them`,
      {
        params: { plural, group, plugin: declarer },
      },
    )
  }
  const holder = stored ? undefined : holderOf(group)
  if (holder === undefined) return
  const cure = `choose another group, or declare ${plural} in its package`
  throw new ApiError('InUse', `the group ${group} belongs to the plugin ${holder}; ${cure}`, {
    params: { group, plural, plugin: holder },
  })
}

function objectNameErrors(object: JsonObject): readonly FieldError[] {
  const expected = derivedName(specOf(object))
  // Without a valid plural there is no right name.
  if (object.metadata.name === expected || resourceNameFault(specOf(object).plural) !== undefined) return []
  return [
    fieldError('/metadata/name', 'name', {
      message: `must be "${expected}", which follows from group and plural; or leave it out`,
      params: { fault: 'expected', expected },
    }),
  ]
}

/** Objects are stored and served under these names, so they cannot change. */
function changeErrors(before: ModelSpec, after: ModelSpec): readonly FieldError[] {
  const [versionBefore, versionAfter] = [before.versions[0]?.name, after.versions[0]?.name]
  return [
    ...(['group', 'plural', 'kind', 'singular'] as const)
      .filter((field) => before[field] !== after[field])
      .map((field) => {
        const message = `is "${before[field]}" and cannot be changed`
        return fieldError(`/spec/${field}`, 'immutable', { message, params: { stored: before[field] } })
      }),
    ...(versionBefore === versionAfter
      ? []
      : [
          fieldError('/spec/versions/0/name', 'immutable', {
            message: `is "${versionBefore}"; a second version is not served for now`,
            params: { stored: versionBefore ?? '' },
          }),
        ]),
  ]
}

/** Looks names up in the index, to report which ones are taken. Of concurrent writers, the first to commit gets the name. */
async function takenErrors(store: Store, { model, object }: Declared): Promise<readonly FieldError[]> {
  const spec = specOf(object)
  const names = namesOf(spec)
  const where = [{ field: 'names', is: { op: 'in' as const, values: names.map((taken) => taken.name) } }]
  const { items } = await store.list(model, { where, limit: 4, total: 'none' })
  const others = items.filter((item) => item.name !== object.metadata.name)
  if (others.length === 0) return []
  const holders = others.map((item) => item.name)
  const message = `kind, singular and plural must be unique in ${spec.group}; one of them is taken by ${holders.join(', ')}`
  return [fieldError('/spec', 'taken', { message, params: { group: spec.group, holders } })]
}

/** A reference needs a model that is registered, users, or the model itself. */
async function targetErrors(store: Store, { object }: Declared): Promise<readonly FieldError[]> {
  const { group, plural, versions } = specOf(object)
  const [version] = versions
  const errors: FieldError[] = []
  for (const { target, pointer } of version ? schemaReferences(version.schema) : []) {
    const key = keyOf(target)
    if (key === keyOf({ group, plural }) || key === keyOf(usersTarget)) continue
    if (await store.get(definitionKey, modelObjectName(target))) continue
    const message = `refers to ${target.plural} of ${target.group}, which is not registered; register that model before`
    errors.push(fieldError(`/spec/versions/0/schema${pointer}`, 'schema', message))
  }
  return errors
}

/** The models with references to this one. */
async function modelsReferringTo(store: Store, { group, plural }: ModelSpec): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { data } of allObjects(store, definitionKey)) {
    const other = specOf(fromData(data))
    const [version] = other.versions
    if (!version || keyOf(other) === keyOf({ group, plural })) continue
    const refers = schemaReferences(version.schema).some(({ target }) => keyOf(target) === keyOf({ group, plural }))
    if (refers) found.push(`${other.plural}.${other.group}`)
  }
  return found
}

async function compileErrors({ compiler }: DefinitionParts, spec: ModelSpec): Promise<readonly FieldError[]> {
  const errors = await compiler.check(definitionOf(spec).schema)
  return errors.map(({ pointer, message }) => fieldError(`/spec/versions/0/schema${pointer}`, 'schema', message))
}

/** Closes the model, so that no object of it can be created any more. A dry run only checks whether objects exist. */
async function endModel({ store, refresh }: DefinitionParts, spec: ModelSpec, dryRun: boolean): Promise<void> {
  const { group, plural } = spec
  const key = { group, plural }
  const referring = await modelsReferringTo(store, spec)
  if (referring.length > 0) {
    const by = referring.join(', ')
    throw new ApiError('InUse', `${by} refer to ${plural}; remove these references or models before the model`, {
      params: { plural, by: referring },
    })
  }
  if (!dryRun && (await store.closeModel(key))) return
  await refresh(key)
  const { total } = await store.list(key, { limit: 1 })
  if (dryRun && total?.count === 0) return
  throw new ApiError('InUse', `there are ${total?.count} ${plural}; delete them before their model`, {
    params: { count: total?.count ?? 0, plural },
  })
}
