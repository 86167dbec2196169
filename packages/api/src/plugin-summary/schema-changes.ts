import { referencedSchema, type JsonSchema, type ObjectSchema } from '../object-schema.ts'

/** Limits the walk: repeated references expand a short schema exponentially. */
const maxFields = 5_000

/** Keywords that do not affect validation. */
const notes = new Set([
  'description',
  'title',
  'examples',
  'example',
  '$comment',
  'deprecated',
  'x-display',
  '$schema',
  '$id',
  '$defs',
])
/** Keywords that `fieldsOf` expands into separate fields. */
const parts = new Set(['properties', 'required', 'items', '$ref'])

interface Field {
  readonly schema: JsonSchema
  readonly required: boolean
}

/** Describes the differences between two schemas: `spec.title maxLength 120 -> 80`. */
export function schemaChanges(before: ObjectSchema, after: ObjectSchema): readonly string[] {
  const earlier = fieldsOf(before)
  const later = fieldsOf(after)
  const gone = new Map([...earlier].filter(([path]) => !later.has(path)))
  const come = new Map([...later].filter(([path]) => !earlier.has(path)))
  const isCut = Math.max(earlier.size, later.size) >= maxFields
  return [
    ...(isCut ? [`has more than ${maxFields} fields, of which the first are compared`] : []),
    ...[...come].filter(([path]) => !isBelow(path, come)).map(([path, field]) => `+ ${path} (${fieldWords(field)})`),
    ...[...gone.keys()].filter((path) => !isBelow(path, gone)).map((path) => `- ${path}`),
    ...[...later].flatMap(([path, field]) => fieldChanges(path, earlier.get(path), field)),
  ]
}

/** True when fields of both schemas are displayed in another way. */
export function displaysDiffer(before: ObjectSchema, after: ObjectSchema): boolean {
  const later = fieldsOf(after)
  return [...fieldsOf(before)].some(([path, { schema }]) => {
    const field = later.get(path)
    return field !== undefined && JSON.stringify(schema['x-display']) !== JSON.stringify(field.schema['x-display'])
  })
}

function isBelow(path: string, fields: ReadonlyMap<string, Field>): boolean {
  return ancestors(path).some((other) => fields.has(other))
}

/** For `spec.a[].b`: `spec.a[]`, `spec.a` and `spec`. */
function ancestors(path: string): readonly string[] {
  return [...path.matchAll(/\.|\[\]/g)].map(({ index }) => path.slice(0, index))
}

function fieldChanges(path: string, before: Field | undefined, after: Field): readonly string[] {
  if (!before) return []
  const keywords = new Set([...Object.keys(before.schema), ...Object.keys(after.schema)])
  const changed = [...keywords]
    .filter((keyword) => !notes.has(keyword) && !parts.has(keyword))
    .flatMap((keyword) => keywordChange(keyword, before.schema[keyword], after.schema[keyword]))
  const required = after.required ? 'required' : 'optional'
  const all = [...changed, ...(before.required === after.required ? [] : [`is ${required} now`])]
  return all.map((change) => `${path} ${change}`)
}

function keywordChange(keyword: string, before: unknown, after: unknown): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (keyword === 'enum' && Array.isArray(before) && Array.isArray(after)) return enumChange(before, after)
  const isShort = [before, after].every((value) => value === undefined || shortWords(value) !== undefined)
  if (!isShort) return [`has another ${keyword}`]
  return [`${keyword} ${shortWords(before) ?? 'none'} -> ${shortWords(after) ?? 'none'}`]
}

function enumChange(before: readonly unknown[], after: readonly unknown[]): readonly string[] {
  const come = after.filter((value) => !has(before, value)).map((value) => `+ ${JSON.stringify(value)}`)
  const gone = before.filter((value) => !has(after, value)).map((value) => `- ${JSON.stringify(value)}`)
  return come.length + gone.length > 0 ? [`values ${[...come, ...gone].join(' ')}`] : []
}

function has(values: readonly unknown[], value: unknown): boolean {
  return values.some((other) => JSON.stringify(other) === JSON.stringify(value))
}

/** Formats scalars and lists of strings; undefined for values too long for one line. */
function shortWords(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join('|') : undefined
}

function fieldWords({ schema, required }: Field): string {
  const { type } = schema
  return `${shortWords(type) ?? (Array.isArray(schema['enum']) ? 'one of several' : 'any')}, ${required ? 'required' : 'optional'}`
}

/** All fields by path; `[]` stands for the items of an array. A recursive schema is entered once. */
function fieldsOf({ properties, required = [], $defs = {} }: ObjectSchema): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  const take = (path: string, field: Field, around: readonly JsonSchema[]): void => {
    const found = resolved(field.schema, $defs)
    if (fields.size >= maxFields) return
    fields.set(path, { ...field, schema: found })
    if (around.includes(found)) return
    const { properties: below, items, required: names } = found
    for (const [name, part] of Object.entries(isSchema(below) ? below : {})) {
      const isNeeded = Array.isArray(names) && names.includes(name)
      if (isSchema(part)) take(`${path}.${name}`, { schema: part, required: isNeeded }, [...around, found])
    }
    if (isSchema(items)) take(`${path}[]`, { schema: items, required: false }, [...around, found])
  }
  for (const [name, part] of Object.entries(properties)) {
    take(name, { schema: part, required: required.includes(name) }, [])
  }
  return fields
}

/** Follows `$ref`. Keeps a reference that is dangling or circular. */
function resolved(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const seen = new Set<unknown>()
  let found: JsonSchema = schema
  while ('$ref' in found && !seen.has(found)) {
    seen.add(found)
    const next = referencedSchema(found['$ref'], definitions)
    if (!isSchema(next)) return found
    found = next
  }
  return found
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
