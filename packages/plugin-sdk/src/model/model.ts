import { schemaReferences, type ApiObject, type JsonSchema, type ModelDisplay } from '@pergola/api'
import type { ModelTypes, ResourceType, Served } from '@pergola/client'
import type { Infer, InferInput, Schema } from '../schema/infer.ts'
import type { FieldPath, ValueAt } from './fields.ts'
import type { AnyIndexOption, IndexOption } from './index-options.ts'

/** An object of a model, as stored and served. */
export interface StoredObject<Spec, Status> extends ApiObject {
  readonly spec: Spec
  readonly status?: Status
}

/** A model of any type. */
export interface AnyModel extends ResourceType {
  /** The model that each reference names, as `<plural>.<group>`, by its path. */
  readonly references?: Readonly<Record<string, string>>
  readonly apiVersion: string
  readonly kind: string
  readonly singular: string
  readonly spec: Schema
  readonly status: Schema | undefined
  readonly statusSubresource: boolean
  readonly indexes: readonly AnyIndexOption[]
  readonly composites: readonly (readonly string[])[]
  readonly display?: ModelDisplay
  readonly check: ((object: never, context: CheckContext<never>) => Checked) | undefined
}

export interface Model<Types extends ModelTypes> extends AnyModel, Served<Types> {
  readonly object?: Types['object']
}

/** The result of a synchronous check. Unlike `void` alone, the union does not accept a promise. */
type Checked = void | undefined

/** Context of `check`, in addition to the object. */
export interface CheckContext<Stored> {
  /** The stored object; undefined on create. */
  readonly stored: Stored | undefined
  readonly verb: 'create' | 'update' | 'patch'
  /** User name of the caller; undefined when anonymous. */
  readonly caller: string | undefined
}

export interface ModelOptions<Spec, Status, Path extends string, Single extends string, Multi extends string> {
  /**
   * `<group>/<version>`; the group is a domain that you own. The host's own core models, which you can only use, have no group.
   */
  readonly apiVersion: `${string}/${string}` | 'v1alpha1'
  readonly kind: string
  readonly plural: string
  /** Defaults to the kind in lower case. */
  readonly singular?: string
  readonly spec: Spec
  readonly status?: Status
  /** `status` is written separately, with `updateStatus`. */
  readonly statusSubresource?: boolean
  readonly indexes?: readonly IndexOption<ObjectOf<Spec, Status>, Path, Single, Multi>[]
  /** Combined indexes, for fields that are filtered and sorted together: `['spec.city', 'spec.age desc']`. */
  readonly composites?: readonly (readonly CompositePart<NoInfer<Path | Single>>[])[]
  /** How the console and `pergola list` present the objects. */
  readonly display?: ModelDisplay<FieldPath<ObjectOf<Spec, Status>>>
  /**
   * Validates what a schema cannot express; rejects with `invalid`. Runs before every write of the spec: must be pure and fast
   * and do no I/O.
   */
  readonly check?: (object: ObjectOf<Spec, Status>, context: CheckContext<ObjectOf<Spec, Status>>) => Checked
}

type CompositePart<Name extends string> = Name | `${Name} ${'asc' | 'desc'}`

/** Placeholder for the status of a model without one. */
interface NoStatus {
  readonly '~unsafe': never
}

type ObjectOf<Spec, Status> = StoredObject<Infer<Spec>, Infer<Status>>

type FieldsOf<Stored, Path extends string, Single extends string, Multi extends string> = {
  readonly [Name in Path]: ValueAt<Stored, Name>
} & { readonly [Name in Single]: string } & { readonly [Name in Multi]: readonly string[] }

/** The references of the spec's own fields: those below have no type. */
type ReferencesIn<Spec> = Spec extends { readonly properties: infer Fields }
  ? {
      readonly [Name in keyof Fields & string as Fields[Name] extends AnyReference ? `spec.${Name}` : never]: RelatedTo<
        Fields[Name]
      >
    }
  : object

interface Refers<Stored> {
  readonly '~refersTo': Stored
}

type AnyReference = Refers<unknown> | { readonly items: Refers<unknown> }

type RelatedTo<Field> =
  Field extends Refers<infer Stored>
    ? Stored | undefined
    : Field extends { readonly items: Refers<infer Stored> }
      ? readonly Stored[]
      : never

/** Types derived from a model's declaration. */
export interface ObjectTypes<
  Spec,
  Input,
  Status,
  Fields extends object,
  References extends object = object,
> extends ModelTypes {
  readonly object: StoredObject<Spec, Status>
  readonly create: Input
  readonly status: Status
  readonly fields: Fields
  readonly references: References
}

/** Declares a model. `client(Todo)` takes all types from this value, and only indexed fields can be used to select or sort. */
export function defineModel<
  const Spec extends Schema,
  const Status extends Schema = NoStatus,
  const Path extends FieldPath<ObjectOf<Spec, Status>> = never,
  Single extends string = never,
  Multi extends string = never,
>(
  options: ModelOptions<Spec, Status, Path, Single, Multi>,
): Model<
  ObjectTypes<
    Infer<Spec>,
    InferInput<Spec>,
    Infer<Status>,
    FieldsOf<ObjectOf<Spec, Status>, Path, Single, Multi>,
    ReferencesIn<Spec>
  >
> {
  const { apiVersion, kind, plural, singular = kind.toLowerCase(), spec, status, check } = options
  const slash = apiVersion.indexOf('/')
  return {
    // Keeps misspelt options, so that `inspect` rejects them.
    ...options,
    apiVersion,
    group: apiVersion.slice(0, Math.max(0, slash)),
    version: apiVersion.slice(slash + 1),
    kind,
    singular,
    plural,
    spec,
    status,
    statusSubresource: options.statusSubresource ?? false,
    references: referencesIn(spec),
    indexes: (options.indexes ?? []).map(pathOfName),
    composites: options.composites ?? [],
    check,
  }
}

function referencesIn(spec: Schema): Readonly<Record<string, string>> {
  const found = schemaReferences({ properties: { spec: spec as JsonSchema } })
  return Object.fromEntries(
    found.map(({ path, target: { group, plural } }) => [path, group === '' ? plural : `${plural}.${group}`]),
  )
}

/** As in the API, the name of an index without a function is its path. */
function pathOfName(index: AnyIndexOption): AnyIndexOption {
  if (typeof index === 'string') return index
  if (['path', 'single', 'multi', 'indexFunc'].some((key) => key in index)) return index
  const { name, ...rest } = index as { readonly name: string }
  return { ...rest, path: name }
}
