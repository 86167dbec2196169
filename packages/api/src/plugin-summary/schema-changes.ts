import { referencedSchema, type JsonSchema, type ObjectSchema } from '../object-schema.ts'
import type { PlanItem } from './plan.ts'

/** Limits the walk: repeated references expand a short schema exponentially. */
const maxFields = 5_000

/** Keywords that do not affect validation. */
const annotations = new Set([
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
const expandedKeywords = new Set(['properties', 'required', 'items', '$ref'])

interface Field {
  readonly schema: JsonSchema
  readonly required: boolean
}

/** The differences between two schemas of a model. */
export function schemaChanges(resource: string, before: ObjectSchema, after: ObjectSchema): readonly PlanItem[] {
  const earlier = fieldsOf(before)
  const later = fieldsOf(after)
  const removed = new Map([...earlier].filter(([path]) => !later.has(path)))
  const added = new Map([...later].filter(([path]) => !earlier.has(path)))
  const isCut = Math.max(earlier.size, later.size) >= maxFields
  return [
    ...(isCut ? [{ code: 'fields-cut', values: { resource, limit: maxFields }, change: '~' } as const] : []),
    ...outermost(added).map(([path, field]): PlanItem => ({ ...fieldItem({ resource, path }, field), change: '+' })),
    ...outermost(removed).map(([path, field]): PlanItem => ({ ...fieldItem({ resource, path }, field), change: '-' })),
    ...[...later].flatMap(([path, field]) => fieldChanges({ resource, path }, earlier.get(path), field)),
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

interface Place {
  readonly resource: string
  readonly path: string
}

function fieldItem(place: Place, { schema, required }: Field): PlanItem {
  const type = shortWords(schema['type']) ?? (Array.isArray(schema['enum']) ? 'one of several' : undefined)
  const values = { ...place, ...(type !== undefined && { type }), required: required ? 'yes' : 'no' } as const
  return { code: 'field', values }
}

/** Without the fields of added or removed objects. */
function outermost(fields: ReadonlyMap<string, Field>): readonly (readonly [string, Field])[] {
  return [...fields].filter(([path]) => !isBelow(path, fields))
}

function isBelow(path: string, fields: ReadonlyMap<string, Field>): boolean {
  return ancestors(path).some((other) => fields.has(other))
}

/** For `spec.a[].b`: `spec.a[]`, `spec.a` and `spec`. */
function ancestors(path: string): readonly string[] {
  return [...path.matchAll(/\.|\[\]/g)].map(({ index }) => path.slice(0, index))
}

function fieldChanges(place: Place, before: Field | undefined, after: Field): readonly PlanItem[] {
  if (!before) return []
  const keywords = new Set([...Object.keys(before.schema), ...Object.keys(after.schema)])
  const changed = [...keywords]
    .filter((keyword) => !annotations.has(keyword) && !expandedKeywords.has(keyword))
    .flatMap((keyword) => keywordChange({ ...place, keyword }, before.schema[keyword], after.schema[keyword]))
  const required = after.required ? 'yes' : 'no'
  const isSame = before.required === after.required
  return [
    ...changed,
    ...(isSame ? [] : [{ code: 'field-required', values: { ...place, required }, change: '~' } as const]),
  ]
}

function keywordChange(
  { keyword, ...place }: Place & { readonly keyword: string },
  before: unknown,
  after: unknown,
): readonly PlanItem[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (keyword === 'enum' && Array.isArray(before) && Array.isArray(after)) return enumChange(place, before, after)
  const [was, is] = [shortWords(before), shortWords(after)]
  const isShort = (before === undefined || was !== undefined) && (after === undefined || is !== undefined)
  if (!isShort) return [{ code: 'field-rewritten', values: { ...place, keyword }, change: '~' }]
  const values = {
    ...place,
    keyword,
    ...(was !== undefined && { before: was }),
    ...(is !== undefined && { after: is }),
  }
  return [{ code: 'field-keyword', values, change: '~' }]
}

function enumChange(place: Place, before: readonly unknown[], after: readonly unknown[]): readonly PlanItem[] {
  const added = after.filter((value) => !has(before, value)).map((value) => JSON.stringify(value))
  const removed = before.filter((value) => !has(after, value)).map((value) => JSON.stringify(value))
  if (added.length + removed.length === 0) return []
  return [{ code: 'field-values', values: { ...place, added, removed }, change: '~' }]
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

/** All fields by path; `[]` stands for the items of an array. A recursive schema is entered once. */
function fieldsOf({ properties, required = [], $defs = {} }: ObjectSchema): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  const addField = (path: string, field: Field, enclosing: readonly JsonSchema[]): void => {
    const found = resolved(field.schema, $defs)
    if (fields.size >= maxFields) return
    fields.set(path, { ...field, schema: found })
    if (enclosing.includes(found)) return
    const { properties: below, items, required: names } = found
    for (const [name, part] of Object.entries(isSchema(below) ? below : {})) {
      const isNeeded = Array.isArray(names) && names.includes(name)
      if (isSchema(part)) addField(`${path}.${name}`, { schema: part, required: isNeeded }, [...enclosing, found])
    }
    if (isSchema(items)) addField(`${path}[]`, { schema: items, required: false }, [...enclosing, found])
  }
  for (const [name, part] of Object.entries(properties)) {
    addField(name, { schema: part, required: required.includes(name) }, [])
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
