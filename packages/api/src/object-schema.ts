export type JsonSchema = Readonly<Record<string, unknown>>

/** Schema of a model's objects without `apiVersion`, `kind` and `metadata`, which are the same for every model. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** Resolves a `#/$defs/<name>` reference; returns undefined for any other reference. */
export function referencedSchema(reference: unknown, definitions: Readonly<Record<string, JsonSchema>>): unknown {
  const [, name] = typeof reference === 'string' ? (/^#\/\$defs\/([^/]+)$/.exec(reference) ?? []) : []
  const key = name?.replaceAll('~1', '/').replaceAll('~0', '~')
  return key !== undefined && Object.hasOwn(definitions, key) ? definitions[key] : undefined
}
