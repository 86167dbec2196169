import { apiVersionOf, type FieldError } from '@pergola/api'
import type { Caller } from '../base/call.ts'
import type { KeyType } from '../store/index-key.ts'
import type { Guard, ModelDeclaration, ModelKey, SqlStatement, WriteOperation } from '../store/store.ts'
import type { Validate } from '../validation/schema-validator.ts'
import type { ModelDefinition } from './definition/definition.ts'
import { resolvePath, valuesAtPath } from './definition/path-index.ts'
import type { JsonObject } from './json-object.ts'

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
}

/** What the host's own models add to the verbs. */
interface ModelRules {
  /** Only the host writes the status. */
  readonly ownsStatus?: boolean
  /** Fills in what the host owns; before anything is checked. */
  readonly prepare?: (object: JsonObject, context: WriteContext) => JsonObject
  /** Faults that no schema can tell; after everything else was found sound. */
  readonly check?: (object: JsonObject, context: WriteContext) => Promise<readonly FieldError[]>
  /** Throws when the object may not be deleted; a dry run leaves everything as it is. */
  readonly beforeDelete?: (object: JsonObject, options: { readonly dryRun: boolean }) => Promise<void>
  /** What else is written with the object, and what must hold then; throws what forbids the write. */
  readonly accompany?: (change: ObjectChange, context: WriteContext) => Promise<Accompaniment>
  /** After a write was committed, before it is answered. */
  readonly afterWrite?: (object: JsonObject) => Promise<void>
}

export interface WriteContext {
  readonly stored?: JsonObject
  readonly caller?: Caller
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
    indexes: [...pathIndexes(definition), ...(parts.ownIndexes ?? [])],
    validator: parts.validator,
    rules: parts.rules ?? {},
  }
}

function pathIndexes({ schema, indexes = [] }: ModelDefinition): readonly ModelIndex[] {
  return indexes.map(({ name, path = name, order = 'ASC', unique = false }) => {
    const resolved = resolvePath(schema, path)
    if ('fault' in resolved) throw new Error(`the index ${name}: ${path} ${resolved.fault}`)
    const { type, multi } = resolved
    const valuesOf = (object: JsonObject) => valuesAtPath(object, path)
    const form = `${type} at ${path}`
    return {
      name,
      type,
      multi,
      unique,
      form,
      descending: order === 'DESC',
      ofStatus: path.startsWith('status'),
      valuesOf,
    }
  })
}

/** The model as the store wants it declared. */
export function declarationOf({ group, plural, edition, indexes, definition }: Model): ModelDeclaration {
  return {
    group,
    plural,
    edition,
    indexes: indexes.map(({ name, multi, unique, form }) => ({ name, multi, unique, form })),
    composites: (definition.composites ?? []).map((parts) =>
      parts.map((part) => {
        const [index = '', direction = ''] = part.split(' ')
        return { index, descending: direction.toLowerCase() === 'desc' }
      }),
    ),
  }
}

/** Where objects of the model are found. */
export function pathOf({ group, apiVersion, plural }: Model): string {
  return `${group === '' ? '/api' : '/apis'}/${apiVersion}/${plural}`
}
