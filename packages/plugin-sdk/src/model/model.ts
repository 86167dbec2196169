import type { ApiObject } from '@pergola/api'
import type { ModelTypes, ResourceType, Served } from '@pergola/client'
import type { Infer, InferInput, Schema } from '../schema/infer.ts'
import type { FieldPath, ValueAt } from './fields.ts'
import type { AnyIndexOption, IndexOption } from './index-options.ts'

/** An object of a model, as it is stored and served. */
export interface StoredObject<Spec, Status> extends ApiObject {
  readonly spec: Spec
  readonly status?: Status
}

/** A model, whatever its objects look like. */
export interface AnyModel extends ResourceType {
  readonly apiVersion: string
  readonly kind: string
  readonly singular: string
  readonly spec: Schema
  readonly status: Schema | undefined
  readonly statusSubresource: boolean
  readonly indexes: readonly AnyIndexOption[]
  readonly composites: readonly (readonly string[])[]
  readonly check: ((object: never, context: CheckContext<never>) => void) | undefined
}

export interface Model<Types extends ModelTypes> extends AnyModel, Served<Types> {
  readonly object?: Types['object']
}

/** What `check` may look at besides the object. */
export interface CheckContext<Stored> {
  /** The object as it is stored; undefined when it is created. */
  readonly stored: Stored | undefined
  readonly verb: 'create' | 'update' | 'patch'
  /** The user's name; undefined for somebody who has not signed in. */
  readonly caller: string | undefined
}

export interface ModelOptions<Spec, Status, Path extends string, Single extends string, Multi extends string> {
  /** `<group>/<version>`; the group is a domain of yours. A model of the host itself that you only look at may have no group. */
  readonly apiVersion: `${string}/${string}` | 'v1alpha1'
  readonly kind: string
  readonly plural: string
  /** The kind in small letters unless it is said. */
  readonly singular?: string
  readonly spec: Spec
  readonly status?: Status
  /** `status` is written apart from the rest, by `updateStatus`. */
  readonly statusSubresource?: boolean
  readonly indexes?: readonly IndexOption<ObjectOf<Spec, Status>, Path, Single, Multi>[]
  /** Indexes that are often filtered and sorted by together: `['spec.city', 'spec.age desc']`. */
  readonly composites?: readonly (readonly CompositePart<NoInfer<Path | Single>>[])[]
  /** Says no, by `invalid`, to what a schema cannot describe. Before every write of the spec: pure, quick, no I/O. */
  readonly check?: (object: ObjectOf<Spec, Status>, context: CheckContext<ObjectOf<Spec, Status>>) => void
}

type CompositePart<Name extends string> = Name | `${Name} ${'asc' | 'desc'}`

/** Stands for the status of a model that has none. */
interface NoStatus {
  readonly '~unsafe': never
}

type ObjectOf<Spec, Status> = StoredObject<Infer<Spec>, Infer<Status>>

type FieldsOf<Stored, Path extends string, Single extends string, Multi extends string> = {
  readonly [Name in Path]: ValueAt<Stored, Name>
} & { readonly [Name in Single]: string } & { readonly [Name in Multi]: readonly string[] }

/** What a declaration says of its objects. */
export interface ObjectTypes<Spec, Input, Status, Fields extends object> extends ModelTypes {
  readonly object: StoredObject<Spec, Status>
  readonly create: Input
  readonly status: Status
  readonly fields: Fields
}

/**
 * A kind of object. The value is all there is to it: `client(Todo)` has the types of its objects, and only indexed fields can
 * be selected or sorted by.
 */
export function defineModel<
  const Spec extends Schema,
  const Status extends Schema = NoStatus,
  const Path extends FieldPath<ObjectOf<Spec, Status>> = never,
  Single extends string = never,
  Multi extends string = never,
>(
  options: ModelOptions<Spec, Status, Path, Single, Multi>,
): Model<
  ObjectTypes<Infer<Spec>, InferInput<Spec>, Infer<Status>, FieldsOf<ObjectOf<Spec, Status>, Path, Single, Multi>>
> {
  const { apiVersion, kind, plural, singular = kind.toLowerCase(), spec, status, check } = options
  const slash = apiVersion.indexOf('/')
  return {
    apiVersion,
    group: apiVersion.slice(0, Math.max(0, slash)),
    version: apiVersion.slice(slash + 1),
    kind,
    singular,
    plural,
    spec,
    status,
    statusSubresource: options.statusSubresource ?? false,
    indexes: options.indexes ?? [],
    composites: options.composites ?? [],
    check,
  }
}
