import { usersTarget, type FieldDisplay, type ReferenceTarget } from '@pergola/api'

/** The subset of JSON Schema that the console reads. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly 'x-display'?: FieldDisplay
  readonly 'x-reference'?: ReferenceTarget
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  /** Definitions by name; only in the root schema. */
  readonly definitions?: Readonly<Record<string, Schema>>
}

/** Resolves `$ref` within the document. */
export function resolved(schema: Schema | undefined, whole: Schema): Schema {
  if (schema?.$ref === undefined) return schema ?? {}
  const name = schema.$ref.split('/').at(-1) ?? ''
  const { $ref: _, ...beside } = schema
  return { ...whole.definitions?.[name], ...beside }
}

/** The schema at a path of property names; fields of a list's items count as fields of the list. */
export function schemaAt(whole: Schema, path: readonly string[]): Schema {
  let at = whole
  for (const name of path) at = resolved(fieldOf(at, name, whole), whole)
  return at
}

function fieldOf(at: Schema, name: string, whole: Schema): Schema | undefined {
  const named = at.properties?.[name]
  if (named || !at.items) return named ?? (at.properties ? undefined : valuesSchema(at))
  const items = resolved(at.items, whole)
  return /^\d+$/.test(name) ? items : fieldOf(items, name, whole)
}

/** The label of the field at a path of property names. */
export function titleAt(path: readonly string[], whole: Schema | undefined, language: string): string {
  return titleOf(path.at(-1) ?? '', whole && schemaAt(whole, path), language)
}

export type Widget =
  | 'text'
  | 'long-text'
  | 'secret'
  | 'number'
  | 'switch'
  | 'choice'
  | 'date'
  | 'time'
  | 'person'
  | 'reference'
  | 'group'
  | 'tags'
  | 'table'
  | 'list'
  | 'map'
  | 'any'

/** The best control for a value. */
export function widgetOf(schema: Schema, whole: Schema = {}): Widget {
  if (schema.enum) return 'choice'
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  const [type] = types
  if (types.length !== 1) return 'any'
  if (type === 'string') return textWidget(schema)
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'switch'
  if (type === 'array') return schema.items ? listWidget(resolved(schema.items, whole), whole) : 'any'
  if (type !== 'object') return 'any'
  if (schema.properties) return 'group'
  const values = valuesSchema(schema)
  return values && widgetOf(resolved(values, whole), whole) !== 'any' ? 'map' : 'any'
}

/** For objects with free keys: the schema of the values. */
export function valuesSchema({ additionalProperties, patternProperties = {} }: Schema): Schema | undefined {
  if (typeof additionalProperties === 'object') return additionalProperties
  const patterns = Object.values(patternProperties)
  return patterns.length === 1 ? patterns[0] : undefined
}

const longText = 300

function textWidget({ format, maxLength, writeOnly, 'x-display': display, 'x-reference': target }: Schema): Widget {
  if (writeOnly) return 'secret'
  if (target) return target.group === usersTarget.group && target.plural === usersTarget.plural ? 'person' : 'reference'
  if (format === 'date-time') return 'time'
  if (format === 'date') return 'date'
  if (display?.as === 'person') return 'person'
  if (display?.as === 'multiline' || display?.as === 'markdown') return 'long-text'
  return maxLength !== undefined && maxLength > longText ? 'long-text' : 'text'
}

const cellWidgets: ReadonlySet<Widget> = new Set([
  'text',
  'number',
  'switch',
  'choice',
  'date',
  'time',
  'person',
  'reference',
])
const mostCells = 6

/** Fields that the server manages and constants with a default need no control. */
export function isEditable(schema: Schema, whole: Schema): boolean {
  const { readOnly, const: only, default: usual } = resolved(schema, whole)
  return !readOnly && (only === undefined || usual === undefined)
}

/** Short texts become tags; flat objects become a table. */
function listWidget(items: Schema, whole: Schema): Widget {
  if (widgetOf(items, whole) === 'text') return 'tags'
  const fields = Object.values(items.properties ?? {}).filter((field) => isEditable(field, whole))
  const isTable = fields.length > 0 && fields.length <= mostCells
  return isTable && fields.every((field) => cellWidgets.has(widgetOf(resolved(field, whole), whole))) ? 'table' : 'list'
}

/** `dueDate` as a label: `Due date`. */
export function titleOf(name: string, schema?: Schema, language = 'en'): string {
  const label = schema?.['x-display']?.label
  const said = label?.[language] ?? label?.['en'] ?? schema?.title
  if (said !== undefined) return said
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Initial value for a schema: defaults, and what is required. */
export function initialOf(schema: Schema, whole: Schema): unknown {
  const here = resolved(schema, whole)
  // The schema of a query is reactive, which `structuredClone` rejects.
  if (here.default !== undefined) return JSON.parse(JSON.stringify(here.default))
  const widget = widgetOf(here, whole)
  if (widget === 'list' || widget === 'table' || widget === 'tags') return []
  if (widget === 'map') return {}
  if (widget === 'switch') return false
  if (widget !== 'group') return undefined
  const required = new Set(here.required)
  const fields = Object.entries(here.properties ?? {}).map(([name, field]) => {
    const isFilled = required.has(name) || resolved(field, whole).default !== undefined
    return [name, isFilled ? initialOf(field, whole) : undefined] as const
  })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}
