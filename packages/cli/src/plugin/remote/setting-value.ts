import type { JsonSchema } from '@pergola/api'
import { usedWrongly } from '../../terminal/command-fault.ts'

/** Parses a setting by its schema: strings unchanged, everything else as JSON. */
export function settingValue(
  schema: JsonSchema,
  { key, text }: { readonly key: string; readonly text: string },
): unknown {
  const { type, enum: choices } = schema
  const isText =
    type === 'string' ||
    (type === undefined && Array.isArray(choices) && choices.every((one) => typeof one === 'string'))
  if (isText) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    if (type === undefined) return text
    throw usedWrongly(`${key} is of type ${JSON.stringify(type)}; "${text}" is not`)
  }
}
