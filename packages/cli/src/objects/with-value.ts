import { isObject } from './schema-at.ts'

type Fields = Readonly<Record<string, unknown>>

/** A copy with the value at this path; objects in between are made. */
export function withValue(fields: Fields, [step = '', ...below]: readonly string[], value: unknown): Fields {
  if (below.length === 0) return { ...fields, [step]: value }
  const here = fields[step]
  return { ...fields, [step]: withValue(isObject(here) ? here : {}, below, value) }
}
