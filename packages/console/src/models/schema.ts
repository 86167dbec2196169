/** As much of a JSON schema as is read here. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  /** By name, of the whole document; on the outermost schema alone. */
  readonly definitions?: Readonly<Record<string, Schema>>
}

/** Follows a reference into the document. */
export function resolved(schema: Schema | undefined, whole: Schema): Schema {
  if (schema?.$ref === undefined) return schema ?? {}
  const name = schema.$ref.split('/').at(-1) ?? ''
  const { $ref: _, ...beside } = schema
  return { ...whole.definitions?.[name], ...beside }
}

/** The schema of a place, by the names that lead there. */
export function schemaAt(whole: Schema, path: readonly string[]): Schema {
  let at = whole
  for (const name of path) at = resolved(at.properties?.[name], whole)
  return at
}

export type Widget = 'text' | 'long-text' | 'number' | 'switch' | 'choice' | 'time' | 'group' | 'list' | 'map' | 'any'

/** What a value is best entered with. */
export function widgetOf(schema: Schema): Widget {
  if (schema.enum) return 'choice'
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  const [type] = types
  if (types.length !== 1) return 'any'
  if (type === 'string') return textWidget(schema)
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'switch'
  if (type === 'array') return schema.items ? 'list' : 'any'
  if (type !== 'object') return 'any'
  if (schema.properties) return 'group'
  return typeof schema.additionalProperties === 'object' && widgetOf(schema.additionalProperties) !== 'any'
    ? 'map'
    : 'any'
}

function textWidget({ format, maxLength }: Schema): Widget {
  if (format === 'date-time') return 'time'
  return maxLength !== undefined && maxLength > 300 ? 'long-text' : 'text'
}

/** `dueDate` as a heading: `Due date`. */
export function titleOf(name: string, schema?: Schema): string {
  if (schema?.title !== undefined) return schema.title
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What a new value of this schema begins with. */
export function initialOf(schema: Schema, whole: Schema): unknown {
  const here = resolved(schema, whole)
  if (here.default !== undefined) return structuredClone(here.default)
  const widget = widgetOf(here)
  if (widget === 'list') return []
  if (widget === 'map') return {}
  if (widget === 'switch') return false
  if (widget !== 'group') return undefined
  const required = (here.required ?? []).map((name) => [name, initialOf(here.properties?.[name] ?? {}, whole)] as const)
  return Object.fromEntries(required.filter(([, value]) => value !== undefined))
}
