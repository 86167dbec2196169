import type { AnyModel, Model } from '../model/model.ts'
import type { ModelTypes, Served } from '@pergola/client'
import type { RoleTemplate } from '../role-template.ts'

export interface OwnedOptions {
  /** Role template that grants callers access to their own objects. Without it, only the super administrator has access. */
  readonly allow?: RoleTemplate
}

/** Owned objects of any model. */
export interface AnyOwned {
  readonly model: AnyModel
  /** Path of the field that stores the owner's user name. */
  readonly path: string
  readonly allow?: RoleTemplate
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
}

type WithoutOwner<Spec, Path extends string> = Path extends `spec.${infer Field}`
  ? { readonly [Key in keyof Spec as Key extends Field ? never : Key]: Spec[Key] } & {
      readonly [Key in keyof Spec as Key extends Field ? Key : never]?: Spec[Key]
    }
  : Spec

/**
 * Serves callers their own objects of a model: list, get, create, update, patch, delete and watch, answered by the host at
 * `uc.api.<group>`. Objects of other owners return 404.
 */
export function owned<Types extends ModelTypes, const Path extends OwnerField<Types['fields']>>(
  model: Model<Types>,
  path: Path,
  options: OwnedOptions = {},
): Owned<OwnedTypes<Types, Path>> {
  const { group, version, plural, singular } = model
  return { ...options, model, path, group: `uc.api.${group}`, version, plural, singular }
}
