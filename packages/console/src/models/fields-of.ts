import { schemaOfField } from './columns.ts'
import { resolved, titleOf, type Schema } from './schema.ts'

export interface TitledField {
  readonly path: string
  readonly title: string
  readonly schema: Schema
}

/** The fields of spec and status, each with its title. */
export function fieldsOf(schema: Schema, language: string): readonly TitledField[] {
  return ['spec', 'status'].flatMap((part) =>
    Object.entries(schemaOfField(part, schema).properties ?? {}).map(([name, field]) => ({
      path: `${part}.${name}`,
      title: titleOf(name, resolved(field, schema), language),
      schema: resolved(field, schema),
    })),
  )
}
