import type { JsonSchema } from '@pergola/api'

/** Resolves a schema reference. */
export type FollowReference = (reference: string) => JsonSchema | undefined

/** The schema at a path, also inside array items; undefined if the path does not exist. */
export function schemaAt(schema: JsonSchema, path: readonly string[], follow: FollowReference): JsonSchema | undefined {
  let found: JsonSchema | undefined = schema
  for (const step of path) {
    const { properties } = holderOf(found, follow)
    if (!isObject(properties) || !Object.hasOwn(properties, step)) return undefined
    found = resolveSchema(properties[step], follow)
  }
  return found
}

/** The schema whose properties are meant: that of the items of an array, otherwise the schema itself. */
export function holderOf(schema: JsonSchema, follow: FollowReference): JsonSchema {
  return 'items' in schema ? resolveSchema(schema['items'], follow) : schema
}

/** Follows references and keeps keywords beside `$ref`. A dangling or circular reference gives an empty schema. */
export function resolveSchema(part: unknown, follow: FollowReference): JsonSchema {
  let schema: unknown = part
  for (let steps = 0; steps < 8 && isObject(schema) && typeof schema['$ref'] === 'string'; steps++) {
    const { $ref, ...beside } = schema
    const target = follow($ref)
    schema = target && { ...target, ...beside }
  }
  return isObject(schema) && !('$ref' in schema) ? schema : {}
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
