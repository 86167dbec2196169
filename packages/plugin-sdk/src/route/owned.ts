import type { AnyModel, Model } from '../model/model.ts'
import type { ModelTypes, Served } from '@pergola/client'
import type { RoleTemplate } from '../role-template.ts'

export interface OwnedOptions {
  /** Who holds it has objects of its own. Without one, only the super administrator has. */
  readonly allow?: RoleTemplate
}

/** The caller's own objects of a model, whatever they look like. */
export interface AnyOwned {
  readonly model: AnyModel
  /** Where the owner's user name stands. */
  readonly path: string
  readonly allow?: RoleTemplate
}

export interface Owned<Types extends ModelTypes> extends AnyOwned, Served<Types> {}

/** Indexed fields of one text each. */
export type OwnerField<Fields> = {
  [Name in keyof Fields & string]: Name extends `spec.${string}` ? (Fields[Name] extends string ? Name : never) : never
}[keyof Fields & string]

/** Whatever is written, the host sets the owner. */
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
 * An API of everybody's own objects: list, get, create, update, patch, delete and watch, served by the host at
 * `uc.api.<group>`. Those of others are not found.
 */
export function owned<Types extends ModelTypes, const Path extends OwnerField<Types['fields']>>(
  model: Model<Types>,
  path: Path,
  options: OwnedOptions = {},
): Owned<OwnedTypes<Types, Path>> {
  const { group, version, plural, singular } = model
  return { ...options, model, path, group: `uc.api.${group}`, version, plural, singular }
}
