import type { ApiObject } from '@pergola/api'
import type { ResourceType } from '../object-types.ts'

/** The types of a model's objects. Exists only at compile time. */
export interface ModelTypes {
  readonly object: ApiObject
  /** The spec that `create` accepts. */
  readonly create: unknown
  readonly status: unknown
  /** Indexed fields and their value types; an array type for a field with several values. */
  readonly fields: object
  /** What `page.related` returns, by the path of a reference. */
  readonly references?: object
}

/** Something that `client(...)` accepts: a model, or the caller's owned objects of a model. */
export interface Served<Types extends ModelTypes> extends ResourceType {
  /** Prefix of generated names. */
  readonly singular: string
  /** The model that each reference names, as `<plural>.<group>`, by its path. */
  readonly references?: Readonly<Record<string, string>>
  /** Never set at run time; carries the types to code that receives the value. */
  readonly types?: Types
}
