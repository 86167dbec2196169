import type { ApiObject } from '@pergola/api'
import type { ResourceType } from '../object-types.ts'

/** What is known of the objects of a model; only ever a type. */
export interface ModelTypes {
  readonly object: ApiObject
  /** The spec that `create` takes. */
  readonly create: unknown
  readonly status: unknown
  /** What can be selected by, and the values there; an array where there may be several. */
  readonly fields: object
}

/** Objects that a client can be asked for: those of a model, or the caller's own of them. */
export interface Served<Types extends ModelTypes> extends ResourceType {
  /** What a name begins with where `create` is given none. */
  readonly singular: string
  /** Never there; it carries the types, so that whoever is given the value has them too. */
  readonly types?: Types
}
