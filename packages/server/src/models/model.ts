import { apiVersionOf, resolveIndexPath, type FieldError } from '@pergola/api'
import type { Caller } from '../base/call.ts'
import { deepEqual } from '../base/deep-equal.ts'
import type { KeyType } from '../store/index-key.ts'
import {
  nameAhead,
  type CompositePart,
  type Guard,
  type ModelDeclaration,
  type ModelKey,
  type SqlStatement,
  type WriteOperation,
} from '../store/store.ts'
import type { Validate } from '../validation/schema-validator.ts'
import type { IndexDefinition, ModelDefinition } from './definition/definition.ts'
import type { Evaluate } from './evaluation.ts'
import { valuesAtPath } from './definition/path-index.ts'
import type { JsonObject } from './object.ts'

/** A definition at work. */
export interface Model extends ModelKey {
  readonly definition: ModelDefinition
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly apiVersion: string
  readonly statusSubresource: boolean
  /** Of the declaration that holds in the store; a later one has a higher edition. */
  readonly edition: number
  readonly indexes: readonly ModelIndex[]
  /** Compiled when it is first needed. */
  readonly validator: () => Promise<Validate>
  readonly rules: ModelRules
  /** Asks whoever declared it. */
  readonly evaluate: Evaluate | undefined
  /** Asks whoever declares what it is about to become. */
  readonly evaluateAhead: Evaluate | undefined
}

/** An index that a model declares. */
export interface ModelIndex {
  readonly name: string
  readonly type: KeyType
  readonly multi: boolean
  readonly unique: boolean
  /** What its values are made of: when that changes, the index is built anew. */
  readonly form: string
  /** The direction of a sort that names none. */
  readonly descending: boolean
  /** A new status can change its values. */
  readonly ofStatus: boolean
  readonly valuesOf: (object: JsonObject) => readonly { readonly pointer: string; readonly value: unknown }[]
  /** Not by the host: whoever declared the model says its values. */
  readonly evaluated?: boolean
  /** Built for what the model is about to become, under a name of its own; nobody can ask for it yet. */
  readonly isAhead?: boolean
}

/** What the host's own models add to the verbs. */
interface ModelRules {
  /** Only the host writes the status. */
  readonly ownsStatus?: boolean
  /** Clients create its objects at this path, and not by the verb `create`. */
  readonly createdAt?: string
  /** Fills in what the host owns; before anything is checked. */
  readonly prepare?: (object: JsonObject, context: WriteContext) => JsonObject
  /** Faults that no schema can tell; after everything else was found sound. */
  readonly check?: (object: JsonObject, context: WriteContext) => Promise<readonly FieldError[]>
  /** Throws when the object may not be deleted; a dry run leaves everything as it is. */
  readonly beforeDelete?: (object: JsonObject, options: { readonly dryRun: boolean }) => Promise<void>
  /** Writes wait here for each other, so that those of one replica need not be tried again for one another. */
  readonly inTurn?: <Done>(write: () => Promise<Done>) => Promise<Done>
  /** What else is written with the object, and what must hold then; throws what forbids the write. */
  readonly accompany?: (change: ObjectChange, context: WriteContext) => Promise<Accompaniment>
  /** How some of its fields are kept. */
  readonly sealing?: Sealing
  /** After a write was committed, before it is answered. */
  readonly afterWrite?: (object: JsonObject) => Promise<void>
}

/** Fields that are stored sealed, and shown by `get` alone. An object has them sealed wherever it is not said otherwise. */
export interface Sealing {
  /** Seals what is not sealed yet: whatever is as it is stored stays. */
  seal(object: JsonObject, place: { readonly uid: string; readonly stored?: JsonObject }): JsonObject
  /** Throws `Unavailable` when it cannot be done here. */
  open(object: JsonObject, uid: string): JsonObject
  /** The object without them. */
  withhold(object: JsonObject): JsonObject
}

export interface WriteContext {
  readonly stored?: JsonObject
  /** Of what is stored. */
  readonly uid?: string
  readonly caller?: Caller
  /** How it is written; an update unless it is said. */
  readonly verb?: 'create' | 'update' | 'patch'
  /** What the host makes with the object and never stores in it. */
  readonly secret?: string
}

/** An object before and after a write; without `after` it is deleted. */
export interface ObjectChange {
  readonly name: string
  readonly uid: string
  readonly before?: JsonObject
  readonly after?: JsonObject
}

/** What is written together with an object, and what must hold when it is. */
export interface Accompaniment {
  readonly operations?: readonly WriteOperation[]
  readonly guards?: readonly Guard[]
  readonly also?: readonly SqlStatement[]
}

export interface ModelParts {
  readonly edition?: number
  readonly validator: () => Promise<Validate>
  readonly rules?: ModelRules
  readonly evaluate?: Evaluate
  readonly evaluateAhead?: Evaluate
  /** Indexes that are no path. */
  readonly ownIndexes?: readonly ModelIndex[]
}

export function createModel(definition: ModelDefinition, parts: ModelParts): Model {
  const { group, version, kind, singular, plural, statusSubresource = false } = definition
  return {
    definition,
    group,
    version,
    kind,
    singular,
    plural,
    apiVersion: apiVersionOf(definition),
    statusSubresource,
    edition: parts.edition ?? 0,
    indexes: [...declaredIndexes(definition), ...indexesAhead(definition), ...(parts.ownIndexes ?? [])],
    validator: parts.validator,
    rules: parts.rules ?? {},
    evaluate: parts.evaluate,
    evaluateAhead: parts.evaluateAhead,
  }
}

function declaredIndexes({ schema, indexes = [] }: ModelDefinition): readonly ModelIndex[] {
  return indexes.map((index) => (index.evaluated === undefined ? pathIndex(schema, index) : functionIndex(index)))
}

/** Those of the next declaration that this one does not have. */
function indexesAhead({ next, ...now }: ModelDefinition): readonly ModelIndex[] {
  if (!next) return []
  const known = declaredIndexes(now)
  const isNew = (index: ModelIndex) => !known.some((one) => isSameIndex(one, index))
  return declaredIndexes(next)
    .filter(isNew)
    .map((index) => ({ ...index, name: nameAhead(index.name), isAhead: true }))
}

function isSameIndex(one: ModelIndex, other: ModelIndex): boolean {
  return (['name', 'form', 'multi', 'unique'] as const).every((field) => one[field] === other[field])
}

function functionIndex({ name, order, unique = false, evaluated, revision = 1 }: IndexDefinition): ModelIndex {
  return {
    name,
    type: 'string',
    multi: evaluated === 'multi',
    unique,
    form: `text by ${name}, revision ${revision}`,
    descending: order === 'DESC',
    ofStatus: false,
    valuesOf: () => [],
    evaluated: true,
  }
}

function pathIndex(schema: ModelDefinition['schema'], index: IndexDefinition): ModelIndex {
  const { name, path = name, order = 'ASC', unique = false } = index
  const resolved = resolveIndexPath(schema, path)
  if ('fault' in resolved) throw new Error(`the index ${name}: ${path} ${resolved.fault}`)
  const { type, multi } = resolved
  return {
    name,
    type,
    multi,
    unique,
    form: `${type} at ${path}`,
    descending: order === 'DESC',
    ofStatus: path.startsWith('status'),
    valuesOf: (object) => valuesAtPath(object, path),
  }
}

/** The model as the store wants it declared. */
export function declarationOf({ group, plural, edition, indexes, definition }: Model): ModelDeclaration {
  return {
    group,
    plural,
    edition,
    indexes: indexes.map(({ name, multi, unique, form }) => ({ name, multi, unique, form })),
    composites: compositesWithAhead(definition, indexes),
  }
}

function compositesOf({ composites = [] }: ModelDefinition): readonly (readonly CompositePart[])[] {
  return composites.map((parts) =>
    parts.map((part) => {
      const [index = '', direction = ''] = part.split(' ')
      return { index, descending: direction.toLowerCase() === 'desc' }
    }),
  )
}

function compositesWithAhead(
  { next, ...now }: ModelDefinition,
  indexes: readonly ModelIndex[],
): readonly (readonly CompositePart[])[] {
  const known = compositesOf(now)
  if (!next) return known
  const ahead = new Set(indexes.filter(({ isAhead }) => isAhead).map(({ name }) => name))
  const renamed = (name: string) => (ahead.has(nameAhead(name)) ? nameAhead(name) : name)
  const others = compositesOf(next)
    .map((parts) => parts.map((part) => ({ ...part, index: renamed(part.index) })))
    .filter((parts) => !known.some((one) => deepEqual(one, parts)))
  return [...known, ...others]
}

/** Where objects of the model are found. */
export function pathOf({ group, apiVersion, plural }: Model): string {
  return `${group === '' ? '/api' : '/apis'}/${apiVersion}/${plural}`
}
