import type { JsonSchema } from '@pergola/api'
import { isJsonObject } from '../../base/json-object.ts'
import { closedSchema } from '../../validation/object-schema.ts'
import type { Model } from '../model.ts'

export interface AnsweredSchema extends JsonSchema {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, JsonSchema>>
}

/** The schema of a model's objects in answers, for endpoints that return one. Only for models without `$defs`. */
export function answeredSchema({ kind, apiVersion, definition }: Model): AnsweredSchema {
  const { properties, required } = closedSchema(definition.schema)
  return {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', ...(required as readonly string[])],
    properties: {
      ...(isJsonObject(properties) && properties),
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: { $ref: '#/components/schemas/Metadata' },
    },
  }
}
