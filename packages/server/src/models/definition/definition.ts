import type { ModelDeclaration } from '@pergola/api'
import type { ObjectSchema } from '../../validation/object-schema.ts'

/** A kind of object, as it is declared. */
export interface ModelDefinition {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly schema: ObjectSchema
  /** `status` is written by `<name>/status` alone. */
  readonly statusSubresource?: boolean
  readonly indexes?: readonly IndexDefinition[]
  /** Indexes that are often filtered and sorted by together: `['spec.city', 'spec.age desc']`. */
  readonly composites?: readonly (readonly string[])[]
  /** Whoever declared it is asked before every write of the spec. */
  readonly check?: boolean
  /** What it is about to become: the indexes that this takes are built ahead. */
  readonly next?: ModelDefinition
}

/** A field that objects can be selected and sorted by. */
export interface IndexDefinition {
  readonly name: string
  /** Where the value stands; the name when left out. */
  readonly path?: string
  /** The direction of a sort that names none. */
  readonly order?: 'ASC' | 'DESC'
  readonly unique?: boolean
  /** Whoever declared the model says its values: one at most, or several. */
  readonly evaluated?: 'single' | 'multi'
  /** Another one means other values. */
  readonly revision?: number
}

/** The `spec` of an object of the resource `models`. */
export interface ModelSpec extends Omit<ModelDeclaration, 'indexes' | 'check'> {
  readonly check?: boolean
  readonly indexes?: readonly IndexDefinition[]
  readonly next?: Omit<ModelSpec, 'next'>
}

export function definitionOf(spec: ModelSpec): ModelDefinition {
  const { versions, specRequired = false, next, ...rest } = spec
  const [version] = versions
  if (!version) throw new Error(`the model ${spec.plural} of ${spec.group} has no version`)
  const { required = [] } = version.schema
  const schema =
    specRequired && !required.includes('spec') ? { ...version.schema, required: [...required, 'spec'] } : version.schema
  return { ...rest, version: version.name, schema, ...(next && { next: definitionOf(next) }) }
}
