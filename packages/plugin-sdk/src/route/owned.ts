import type { AnyModel, Model } from '../model/model.ts'
import type { OwnedVerb } from '@pergola/api'
import type { ModelTypes, ReferencesOf, Served } from '@pergola/client'
import type { RoleTemplate } from '../role-template.ts'

/** What holders of a role template may do with their own objects. */
export interface OwnedGrant {
  readonly to: RoleTemplate
  readonly verbs: '*' | readonly OwnedVerb[]
}

export interface OwnedOptions<Field extends string = string> {
  /** Verbs by role template; verbs in no entry return 405. Without it, only the super administrator has access. */
  readonly allow?: readonly OwnedGrant[]
  /** Fields that owners can neither change nor set when they create an object. */
  readonly readOnly?: readonly Field[]
}

/** Owned objects of any model. */
export interface AnyOwned {
  readonly model: AnyModel
  /** Path of the field that stores the owner's user name. */
  readonly path: string
  readonly allow?: readonly OwnedGrant[]
  readonly readOnly?: readonly string[]
}

export interface Owned<Types extends ModelTypes> extends AnyOwned, Served<Types> {}

/** Indexed string fields of the spec: those that can store the owner. */
export type OwnerField<Fields> = {
  [Name in keyof Fields & string]: Name extends `spec.${string}` ? (Fields[Name] extends string ? Name : never) : never
}[keyof Fields & string]

/** Types of owned objects. The owner field is optional on create, because the host always sets it. */
export interface OwnedTypes<Types extends ModelTypes, Path extends string> extends ModelTypes {
  readonly object: Types['object']
  readonly create: WithoutOwner<Types['create'], Path>
  readonly status: Types['status']
  readonly fields: Types['fields']
  readonly references: ReferencesOf<Types> & object
}

type WithoutOwner<Spec, Path extends string> = Path extends `spec.${infer Field}`
  ? { readonly [Key in keyof Spec as Key extends Field ? never : Key]: Spec[Key] } & {
      readonly [Key in keyof Spec as Key extends Field ? Key : never]?: Spec[Key]
    }
  : Spec

/** Fields of the spec, and fields below them. */
type SpecField<Types extends ModelTypes> = `spec.${keyof Types['create'] & string}${'' | `.${string}`}`

/**
 * Serves callers their own objects of a model, with the verbs of `allow`, answered by the host at `uc.api.<group>`. Objects of
 * other owners return 404.
 */
export function owned<Types extends ModelTypes, const Path extends OwnerField<Types['fields']>>(
  model: Model<Types>,
  path: Path,
  options: OwnedOptions<SpecField<Types>> = {},
): Owned<OwnedTypes<Types, Path>> {
  const { group, version, plural, singular, references = {} } = model
  return { ...options, model, path, group: `uc.api.${group}`, version, plural, singular, references }
}
