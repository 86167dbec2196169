import { isSame } from '../models/same.ts'
import { resolved, type Schema } from '../models/schema.ts'

type Values = Readonly<Record<string, unknown>>

/** Initial values of the form: the stored ones, else the defaults. */
export function shownSettings(schema: Schema, stored: Values): Values {
  const defaults = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const { default: value } = resolved(field, schema)
    return value === undefined ? [] : [[key, value] as const]
  })
  return { ...Object.fromEntries(defaults), ...stored }
}

/** Keys whose value differs from the initial one. */
export function changedSettings(schema: Schema, before: Values, now: Values): readonly string[] {
  return Object.keys(schema.properties ?? {}).filter((key) => !isSame(before[key], now[key]))
}

/** The patch for these keys. Emptied keys are removed, so that their defaults apply again. */
export function settingsPatch(keys: readonly string[], now: Values): Values {
  return Object.fromEntries(keys.map((key) => [key, now[key] ?? null]))
}
