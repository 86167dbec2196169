import { ApiError, type OwnedVerb } from '@pergola/api'
import { objectNotFound } from '../../call/not-found.ts'
import { deepEqual } from '../../base/deep-equal.ts'
import { isJsonObject } from '../../base/json-object.ts'
import { fieldError } from '../../call/field-error.ts'
import { indexKey } from '../../store/index-key.ts'
import type { StoredObject, Term } from '../../store/store.ts'
import type { Model } from '../model.ts'
import type { JsonObject } from '../object.ts'
import { fromData } from '../object-bytes.ts'
import { refuseInvalid } from './accept.ts'

/** A model whose objects are served to their owners at a separate path. */
export interface OwnedResource {
  readonly group: string
  /** Path of the owner's name in the object. */
  readonly path: string
  /** Verbs that are served; all by default. */
  readonly verbs?: readonly OwnedVerb[]
  /** Paths of fields that owners cannot write. */
  readonly readOnly?: readonly string[]
}

/** Serves only objects that contain the owner's name; others appear not to exist. */
export interface OwnerScope {
  /** An indexed field with one text, such as `spec.owner`. */
  readonly path: string
  readonly owner: string
  /** Paths of fields that the owner cannot write. */
  readonly readOnly?: readonly string[]
}

/** Matches the owner's objects. */
export function ownerTerm({ path, owner }: OwnerScope): Term {
  const result = indexKey('string', owner)
  if ('fault' in result) throw new ApiError('Forbidden', `"${owner}" cannot own anything: the name ${result.fault}`)
  return { field: path, is: { op: '=', value: result.key } }
}

/** Throws `NotFound` for objects of others, as if they did not exist. */
export function assertOwned(model: Model, stored: StoredObject, scope: OwnerScope | undefined): void {
  if (!scope || valueAt(fromData(stored.data), scope.path) === scope.owner) return
  throw objectNotFound(model.singular, stored.name)
}

function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, step) => (isJsonObject(value) ? value[step] : undefined), object)
}

/** A new object as its owner sends it, with the caller as its owner, whatever the body says. */
export function createdByOwner(model: Model, body: unknown, scope: OwnerScope): unknown {
  refuseReadOnly(model, scope, (path) => valueAt(body, path) === undefined)
  return set(body, scope.path.split('.'), scope.owner)
}

/** A changed object as its owner sends it. A read-only field that a full update omits keeps its value. */
export function changedByOwner(
  model: Model,
  { body, stored, verb }: { readonly body: unknown; readonly stored: JsonObject; readonly verb: 'update' | 'patch' },
  scope: OwnerScope,
): unknown {
  const isOmitted = (path: string) => verb === 'update' && valueAt(body, path) === undefined
  refuseReadOnly(model, scope, (path) => isOmitted(path) || deepEqual(valueAt(body, path), valueAt(stored, path)))
  const omitted = (scope.readOnly ?? []).filter((path) => isOmitted(path) && valueAt(stored, path) !== undefined)
  const whole = omitted.reduce((object, path) => set(object, path.split('.'), valueAt(stored, path)), body)
  return set(whole, scope.path.split('.'), scope.owner)
}

/** Compares what was sent, before defaults are filled in. */
function refuseReadOnly(model: Model, { readOnly = [] }: OwnerScope, isKept: (path: string) => boolean): void {
  const errors = readOnly
    .filter((path) => !isKept(path))
    .map((path) =>
      fieldError(`/${path.replaceAll('.', '/')}`, 'readOnly', 'cannot be written by the owner; leave it out'),
    )
  if (errors.length > 0) refuseInvalid(model, errors)
}

/** A value that is not an object stays, and is rejected by the schema. */
function set(value: unknown, [step, ...rest]: readonly string[], leaf: unknown): unknown {
  if (step === undefined) return leaf
  if (value === undefined) return { [step]: set(undefined, rest, leaf) }
  return isJsonObject(value) ? { ...value, [step]: set(value[step], rest, leaf) } : value
}
