import { isSame } from '../models/same.ts'
import { resolved, type Schema } from '../models/schema.ts'

type Values = Readonly<Record<string, unknown>>

/** What the form begins with: stored values, and defaults where none is stored. */
export function shownSettings(schema: Schema, stored: Values): Values {
  const defaults = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const { default: value } = resolved(field, schema)
    return value === undefined ? [] : [[key, value] as const]
  })
  return { ...Object.fromEntries(defaults), ...stored }
}

/** Keys whose value is another one than the form began with. */
export function changedSettings(schema: Schema, before: Values, now: Values): readonly string[] {
  return Object.keys(schema.properties ?? {}).filter((key) => !isSame(before[key], now[key]))
}

/** The patch for these keys: what was emptied is removed, so that its default applies again. */
export function settingsPatch(keys: readonly string[], now: Values): Values {
  return Object.fromEntries(keys.map((key) => [key, now[key] ?? null]))
}
