import type { JsonSchema } from '@pergola/api'

/** The schema of an answer that lists things. */
export function itemsOf(item: JsonSchema): JsonSchema {
  return { type: 'object', required: ['items'], properties: { items: { type: 'array', items: item } } }
}
