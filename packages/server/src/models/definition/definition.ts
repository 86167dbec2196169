import { schemaReferences, type ModelDeclaration, type ModelDisplay } from '@pergola/api'
import type { ModelKey } from '../../store/store.ts'
import type { ObjectSchema } from '../../validation/object-schema.ts'

/** A model as it is declared. */
export interface ModelDefinition {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly schema: ObjectSchema
  /** `status` is written only through `<name>/status`. */
  readonly statusSubresource?: boolean
  readonly indexes?: readonly IndexDefinition[]
  /** Combinations of indexes that are often filtered and sorted by together: `['spec.city', 'spec.age desc']`. */
  readonly composites?: readonly (readonly string[])[]
  readonly display?: ModelDisplay
  /** The plugin that declares the model is asked before every write of the spec. */
  readonly check?: boolean
  /** The upcoming definition: its new indexes are built ahead. */
  readonly next?: ModelDefinition
}

/** A field that objects can be selected and sorted by. */
export interface IndexDefinition {
  readonly name: string
  /** Path of the value; defaults to the name. */
  readonly path?: string
  /** The sort direction when a request gives none. */
  readonly order?: 'ASC' | 'DESC'
  readonly unique?: boolean
  /** The plugin that declares the model computes the values: at most one, or several. */
  readonly evaluated?: 'single' | 'multi'
  /** A different revision means different values, so the index is built again. */
  readonly revision?: number
  /** Follows from the `x-reference` of the field; never declared. */
  readonly refersTo?: ModelKey
}

/** The `spec` of an object of the resource `models`. */
export interface ModelSpec extends Omit<ModelDeclaration, 'indexes' | 'check'> {
  readonly check?: boolean
  readonly indexes?: readonly Omit<IndexDefinition, 'refersTo'>[]
  readonly next?: Omit<ModelSpec, 'next'>
}

export function definitionOf(spec: ModelSpec): ModelDefinition {
  const { versions, specRequired = false, next, ...rest } = spec
  const [version] = versions
  if (!version) throw new Error(`the model ${spec.plural} of ${spec.group} has no version`)
  const { required = [] } = version.schema
  const schema =
    specRequired && !required.includes('spec') ? { ...version.schema, required: [...required, 'spec'] } : version.schema
  const indexes = withReferences(schema, rest.indexes ?? [])
  return { ...rest, indexes, version: version.name, schema, ...(next && { next: definitionOf(next) }) }
}

/** Every reference has an index: one that is declared for its path, or one of its own. */
export function withReferences(schema: ObjectSchema, declared: readonly IndexDefinition[]): readonly IndexDefinition[] {
  const targets = new Map(schemaReferences(schema).map(({ path, target }) => [path, target]))
  const take = (path: string) => {
    const target = targets.get(path)
    targets.delete(path)
    return target && { refersTo: { group: target.group, plural: target.plural } }
  }
  const kept = declared.map((index) =>
    index.evaluated === undefined ? { ...index, ...take(index.path ?? index.name) } : index,
  )
  return [...kept, ...[...targets.keys()].map((name) => ({ name, ...take(name) }))]
}
