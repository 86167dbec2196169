import { resolved, type Schema } from '../models/schema.ts'

/** The schema of a form for these fields of `spec` alone; by default for all of them. */
export function schemaOfFields(schema: Schema, fields: readonly string[] | undefined): Schema {
  const spec = resolved(schema.properties?.['spec'], schema)
  const { properties = {} } = spec
  const names = fields?.filter((name) => name in properties) ?? Object.keys(properties)
  const picked = Object.fromEntries(names.map((name) => [name, properties[name] ?? {}]))
  return { ...schema, properties: { spec: { ...spec, properties: picked } } }
}
