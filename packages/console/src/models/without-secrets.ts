import { resolved, valuesSchema, type Schema } from './schema.ts'

/** A copy without secret values, which must not be stored in the browser. */
export function withoutSecrets(schema: Schema | undefined, whole: Schema, value: unknown): unknown {
  const here = resolved(schema, whole)
  if (here.writeOnly === true || here.format === 'password') return undefined
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(here.items, whole, one))
  if (typeof value !== 'object' || value === null) return value
  const others = valuesSchema(here)
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, withoutSecrets(here.properties?.[key] ?? others, whole, one)] as const)
      .filter(([, one]) => one !== undefined),
  )
}
