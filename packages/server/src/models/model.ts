import { apiVersionOf, resolveIndexPath, type FieldError, type OwnedVerb } from '@pergola/api'
import type { Caller } from '../call/call.ts'
import { deepEqual } from '../base/deep-equal.ts'
import type { KeyType } from '../store/index-key.ts'
import {
  nextIndexName,
  type CompositePart,
  type Guard,
  type ModelDeclaration,
  type ModelKey,
  type SqlStatement,
  type Store,
  type WriteOperation,
} from '../store/store.ts'
import type { Validate } from '../validation/schema-validator.ts'
import type { IndexDefinition, ModelDefinition } from './definition/definition.ts'
import type { Evaluate } from './definition/evaluation.ts'
import { valuesAtPath } from './definition/path-index.ts'
import type { JsonObject } from './object.ts'

/** A model definition, ready for use. */
export interface Model extends ModelKey {
  readonly definition: ModelDefinition
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly apiVersion: string
  readonly statusSubresource: boolean
  /** The edition of the declaration in the store; a later declaration has a higher edition. */
  readonly edition: number
  readonly indexes: readonly ModelIndex[]
  /** Compiled on first use. */
  readonly validator: () => Promise<Validate>
  readonly rules: ModelRules
  /** Sends a request to the plugin that declares the model. */
  readonly evaluate: Evaluate | undefined
  /** Sends a request to the plugin's next version. */
  readonly evaluateNext: Evaluate | undefined
}

/** An index that a model declares. */
export interface ModelIndex {
  readonly name: string
  readonly type: KeyType
  readonly multi: boolean
  readonly unique: boolean
  /** Describes how values are derived; when it changes, the index is built again. */
  readonly form: string
  /** The sort direction when a request gives none. */
  readonly descending: boolean
  /** A status update can change its values. */
  readonly ofStatus: boolean
  readonly valuesOf: (object: JsonObject) => readonly { readonly pointer: string; readonly value: unknown }[]
  /** The plugin that declares the model computes the values, not the host. */
  readonly evaluated?: boolean
  /** The values are names of objects of this model. */
  readonly refersTo?: ModelKey
  /** Built in advance for the next definition, under its own name; requests cannot use it yet. */
  readonly isNext?: boolean
}

/** What built-in models add to the verbs. */
interface ModelRules {
  /** Only the host writes the status. */
  readonly ownsStatus?: boolean
  /** The name of an object follows from its content. */
  readonly derivesName?: boolean
  /** The verbs that owners have at their own address; all by default. */
  readonly ownerVerbs?: readonly OwnedVerb[]
  /** Clients create objects at this path instead of by the verb `create`. */
  readonly createdAt?: string
  /** Its objects describe tokens or the like: lists of them are never compressed. */
  readonly describesCredentials?: boolean
  /** Maximum nesting of an object; 64 by default. */
  readonly maxJsonDepth?: number
  /** Fills in fields that the host owns, before validation. */
  readonly prepare?: (object: JsonObject, context: WriteContext) => JsonObject | Promise<JsonObject>
  /** Errors that a schema cannot express; runs after all other checks passed. */
  readonly check?: (object: JsonObject, context: WriteContext) => Promise<readonly FieldError[]>
  /** Throws when the object may not be deleted. A dry run changes nothing. */
  readonly beforeDelete?: (object: JsonObject, deletion: DeletionContext) => Promise<void>
  /** Serializes writes in this replica, so that they do not conflict with each other. */
  readonly inTurn?: <Done>(write: () => Promise<Done>) => Promise<Done>
  /** Accompanying writes and guards; throws if the write is forbidden. */
  readonly accompany?: (change: ObjectChange, context: WriteContext) => Promise<Accompaniment>
  /** How some fields are sealed. */
  readonly sealing?: Sealing
  /** Runs after the commit and before the answer. */
  readonly afterWrite?: (object: JsonObject) => Promise<void>
}

/** Fields that are stored sealed and shown only by `get`. Objects carry them sealed unless stated otherwise. */
export interface Sealing {
  /** The field that holds the sealed values, by key. */
  readonly field: string
  /** Seals values that are not sealed yet; values that equal the stored ones stay unchanged. */
  seal(object: JsonObject, place: { readonly uid: string; readonly stored?: JsonObject }): JsonObject
  /** Throws `Unavailable` when the values cannot be opened here. */
  open(object: JsonObject, uid: string): JsonObject
  /** The object without the sealed fields. */
  withhold(object: JsonObject): JsonObject
}

interface DeletionContext {
  readonly dryRun: boolean
  readonly caller?: Caller
}

/** Whether a request may know of this object. */
export type MayRefer = (target: ModelKey, name: string) => Promise<boolean>

export interface WriteContext {
  readonly stored?: JsonObject
  /** The uid of the stored object. */
  readonly uid?: string
  readonly caller?: Caller
  /** The verb of the write; `update` by default. */
  readonly verb?: 'create' | 'update' | 'patch'
  /** The plugin whose package declares the object; by default the object keeps its declarer. */
  readonly declaredBy?: string
  /** A secret that the host generates with the object and never stores in it. */
  readonly secret?: string
  /**
   * Whether the request may know of an object that it refers to; everything when the host itself writes.
   */
  readonly mayRefer?: MayRefer
  /**
   * Set in a batch: reads what the operations before this one leave behind. Every rule that reads must then read from it
   * instead of the database.
   */
  readonly store?: Store
}

/** An object before and after a write; without `after` the object is deleted. */
export interface ObjectChange {
  readonly name: string
  readonly uid: string
  readonly before?: JsonObject
  readonly after?: JsonObject
}

/** What is written together with an object, and the guards of that write. */
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
  readonly evaluateNext?: Evaluate
  /** Indexes that are not defined by a path. */
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
    indexes: [...declaredIndexes(definition), ...nextIndexes(definition), ...(parts.ownIndexes ?? [])],
    validator: parts.validator,
    rules: parts.rules ?? {},
    evaluate: parts.evaluate,
    evaluateNext: parts.evaluateNext,
  }
}

function declaredIndexes({ schema, indexes = [] }: ModelDefinition): readonly ModelIndex[] {
  return indexes.map((index) => (index.evaluated === undefined ? pathIndex(schema, index) : functionIndex(index)))
}

/** The indexes of the next definition that the current one lacks. */
function nextIndexes({ next, ...now }: ModelDefinition): readonly ModelIndex[] {
  if (!next) return []
  const known = declaredIndexes(now)
  const isNew = (index: ModelIndex) => !known.some((one) => isSameIndex(one, index))
  return declaredIndexes(next)
    .filter(isNew)
    .map(withoutTarget)
    .map((index) => ({ ...index, name: nextIndexName(index.name), isNext: true }))
}

/** A reference holds once its definition is in force. */
function withoutTarget(index: ModelIndex): ModelIndex {
  const { refersTo: _, ...others } = index
  return others
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
  const { name, path = name, order = 'ASC', unique = false, refersTo } = index
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
    ...(refersTo && { refersTo }),
    valuesOf: (object) => valuesAtPath(object, path),
  }
}

/** The model's declaration for the store. */
export function declarationOf({ group, plural, edition, indexes, definition }: Model): ModelDeclaration {
  return {
    group,
    plural,
    edition,
    indexes: indexes.map(({ name, multi, unique, form, refersTo }) => {
      return { name, multi, unique, form, ...(refersTo && { refersTo }) }
    }),
    composites: compositesWithNext(definition, indexes),
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

function compositesWithNext(
  { next, ...now }: ModelDefinition,
  indexes: readonly ModelIndex[],
): readonly (readonly CompositePart[])[] {
  const known = compositesOf(now)
  if (!next) return known
  const ahead = new Set(indexes.filter(({ isNext }) => isNext).map(({ name }) => name))
  const renamed = (name: string) => (ahead.has(nextIndexName(name)) ? nextIndexName(name) : name)
  const others = compositesOf(next)
    .map((parts) => parts.map((part) => ({ ...part, index: renamed(part.index) })))
    .filter((parts) => !known.some((one) => deepEqual(one, parts)))
  return [...known, ...others]
}

/** The URL path of the model's objects. */
export function pathOf({ group, apiVersion, plural }: Model): string {
  return `${group === '' ? '/api' : '/apis'}/${apiVersion}/${plural}`
}
