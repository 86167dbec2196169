import { ApiError } from '@pergola/api'
import { objectNotFound } from '../../call/not-found.ts'
import { isJsonObject } from '../../base/json-object.ts'
import { indexKey } from '../../store/index-key.ts'
import type { StoredObject, Term } from '../../store/store.ts'
import type { Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'

/** A model whose objects are served to their owners at a separate path. */
export interface OwnedResource {
  readonly group: string
  /** Path of the owner's name in the object. */
  readonly path: string
}

/** Serves only objects that contain the owner's name; others appear not to exist. */
export interface OwnerScope {
  /** An indexed field with one text, such as `spec.owner`. */
  readonly path: string
  readonly owner: string
}

/** Matches the owner's objects. */
export function ownerTerm({ path, owner }: OwnerScope): Term {
  const result = indexKey('string', owner)
  if ('fault' in result) throw new ApiError('Forbidden', `"${owner}" cannot own anything: the name ${result.fault}`)
  return { field: path, is: { op: '=', value: result.key } }
}

/** Throws `NotFound` for objects of others, as if they did not exist. */
export function assertOwned(model: Model, stored: StoredObject, scope: OwnerScope | undefined): void {
  if (!scope || ownerIn(fromData(stored.data), scope.path) === scope.owner) return
  throw objectNotFound(model.singular, stored.name)
}

function ownerIn(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, step) => (isJsonObject(value) ? value[step] : undefined), object)
}

/** The body with the caller as its owner, whatever the body says. A body that is not an object is rejected later. */
export function withOwner(body: unknown, { path, owner }: OwnerScope): unknown {
  const [first = '', ...rest] = path.split('.')
  return set(body, [first, ...rest], owner)
}

function set(value: unknown, [step, ...rest]: readonly string[], owner: string): unknown {
  if (step === undefined) return owner
  if (value === undefined) return { [step]: set(undefined, rest, owner) }
  return isJsonObject(value) ? { ...value, [step]: set(value[step], rest, owner) } : value
}
