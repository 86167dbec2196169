import type { JsonSchema } from '@pergola/api'

/** The schema of a list answer. */
export function itemsOf(item: JsonSchema): JsonSchema {
  return { type: 'object', required: ['items'], properties: { items: { type: 'array', items: item } } }
}
