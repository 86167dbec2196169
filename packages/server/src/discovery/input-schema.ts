import type { JsonSchema } from '@pergola/api'
import { isJsonObject } from '../base/json-object.ts'
import { mapSchema } from './map-schema.ts'

/**
 * A schema for client input. Generated clients treat a field with a `default` as always present, so `default` moves into the
 * description, and the field is not required.
 */
export function inputSchema(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, withoutDefault) as JsonSchema
}

function withoutDefault(schema: JsonSchema): JsonSchema {
  const { default: filledIn, required, ...rest } = schema
  const { properties, description } = rest
  const known = isJsonObject(properties) ? properties : {}
  const isFilledIn = (field: string) => {
    const property = Object.hasOwn(known, field) ? known[field] : undefined
    return isJsonObject(property) && 'default' in property
  }
  const words = `Default: ${JSON.stringify(filledIn)}.`
  return {
    ...rest,
    ...(Array.isArray(required) && { required: (required as readonly string[]).filter((field) => !isFilledIn(field)) }),
    ...(filledIn !== undefined && {
      description: typeof description === 'string' ? `${description} ${words}` : words,
    }),
  }
}
