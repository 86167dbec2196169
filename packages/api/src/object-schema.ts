export type JsonSchema = Readonly<Record<string, unknown>>

/** What a model says of its objects: everything but `apiVersion`, `kind` and `metadata`, which all share. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** What `#/$defs/<name>` points at; undefined for any other reference. */
export function referencedSchema(reference: unknown, definitions: Readonly<Record<string, JsonSchema>>): unknown {
  const [, name] = typeof reference === 'string' ? (/^#\/\$defs\/([^/]+)$/.exec(reference) ?? []) : []
  const key = name?.replaceAll('~1', '/').replaceAll('~0', '~')
  return key !== undefined && Object.hasOwn(definitions, key) ? definitions[key] : undefined
}
