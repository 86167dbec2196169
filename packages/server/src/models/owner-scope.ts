import { ApiError } from '@pergola/api'
import { isJsonObject } from '../base/json-object.ts'
import { indexKey } from '../store/index-key.ts'
import type { StoredObject, Term } from '../store/store.ts'
import type { Model } from './model.ts'
import { fromData } from './object-bytes.ts'

/** A model that callers have their own objects of, at a path of its own. */
export interface OwnedResource {
  readonly group: string
  /** Where the owner's name stands. */
  readonly path: string
}

/** Only objects in which somebody's name stands are served: those of others are not there. */
export interface OwnerScope {
  /** An indexed field of one text, such as `spec.owner`. */
  readonly path: string
  readonly owner: string
}

/** Holds for what is the owner's. */
export function ownerTerm({ path, owner }: OwnerScope): Term {
  const result = indexKey('string', owner)
  if ('fault' in result) throw new ApiError('Forbidden', `"${owner}" cannot own anything: the name ${result.fault}`)
  return { field: path, is: { op: '=', value: result.key } }
}

/** Throws as if somebody else's were not there. */
export function assertOwned(model: Model, stored: StoredObject, scope: OwnerScope | undefined): void {
  if (!scope || ownerIn(fromData(stored.data), scope.path) === scope.owner) return
  throw new ApiError('NotFound', `there is no ${model.singular} "${stored.name}"`)
}

function ownerIn(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, step) => (isJsonObject(value) ? value[step] : undefined), object)
}

/** The body as it counts, whatever it says of its owner; what is no object is left to be refused. */
export function withOwner(body: unknown, { path, owner }: OwnerScope): unknown {
  const [first = '', ...rest] = path.split('.')
  return set(body, [first, ...rest], owner)
}

function set(value: unknown, [step, ...rest]: readonly string[], owner: string): unknown {
  if (step === undefined) return owner
  if (value === undefined) return { [step]: set(undefined, rest, owner) }
  return isJsonObject(value) ? { ...value, [step]: set(value[step], rest, owner) } : value
}
