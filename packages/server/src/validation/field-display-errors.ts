import {
  choiceFault,
  displayForms,
  displayHues,
  maxDisplayText,
  maxLabels,
  maxUnitLength,
  referencedSchema,
  type FieldDisplay,
  type FieldError,
} from '@pergola/api'
import { fieldError, step } from '../call/field-error.ts'
import { isJsonObject } from '../base/json-object.ts'
import type { JsonSchema } from './object-schema.ts'

interface Field {
  readonly schema: JsonSchema
  readonly definitions: Readonly<Record<string, JsonSchema>>
}

type Check = (value: unknown, pointer: string, field: Field) => readonly FieldError[]

const languageTag = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/

const checks: Readonly<Record<keyof FieldDisplay, Check>> = {
  unit: (unit, pointer) => (isJsonObject(unit) ? sideErrors(unit, pointer) : textErrors(unit, pointer, maxUnitLength)),
  tones: toneErrors,
  as: (form, pointer) => choiceErrors(form, pointer, displayForms),
  label: labelErrors,
  placeholder: (text, pointer) => textErrors(text, pointer, maxDisplayText),
}

/** Errors in the `x-display` of a schema; `pointer` is the location of the keyword. */
export function fieldDisplayErrors(pointer: string, field: Field): readonly FieldError[] {
  const display = field.schema['x-display']
  if (display === undefined) return []
  if (!isJsonObject(display)) return faultAt(pointer, 'must be an object such as { "unit": "h" }')
  const known = new Map<string, Check>(Object.entries(checks))
  return Object.entries(display).flatMap(([key, value]) => {
    const check = known.get(key)
    const place = step(pointer, key)
    return check
      ? check(value, place, field)
      : faultAt(place, choiceFault(key, [...known.keys()], 'is not a known key'))
  })
}

function faultAt(pointer: string, fault: string | undefined): readonly FieldError[] {
  return fault === undefined ? [] : [fieldError(pointer, 'display', fault)]
}

function textErrors(text: unknown, pointer: string, limit: number): readonly FieldError[] {
  if (typeof text === 'string' && text !== '' && text.length <= limit) return []
  return faultAt(pointer, `must be a text of 1 to ${limit} characters`)
}

function sideErrors(unit: Readonly<Record<string, unknown>>, pointer: string): readonly FieldError[] {
  const [side, ...others] = Object.keys(unit)
  if (others.length > 0 || (side !== 'before' && side !== 'after')) {
    return faultAt(pointer, 'must be a text, { "before": text } or { "after": text }')
  }
  return textErrors(unit[side], step(pointer, side), maxUnitLength)
}

function toneErrors(tones: unknown, pointer: string, field: Field): readonly FieldError[] {
  if (!isJsonObject(tones)) return faultAt(pointer, 'must be an object from values of the enum to colors')
  const values = valuesOf(field)
  if (values.size === 0) return faultAt(pointer, 'needs an enum in the same schema')
  return Object.entries(tones).flatMap(([value, hue]) => {
    const place = step(pointer, value)
    return values.has(value) ? choiceErrors(hue, place, displayHues) : faultAt(place, 'is not a value of the enum')
  })
}

function choiceErrors(value: unknown, pointer: string, known: readonly string[]): readonly FieldError[] {
  if (typeof value !== 'string') return faultAt(pointer, `must be one of ${known.join(', ')}`)
  return faultAt(pointer, choiceFault(value, known, 'is not known'))
}

/** The values of an enum, also of one written as alternatives of `const`. */
function valuesOf({ schema, definitions }: Field): ReadonlySet<string> {
  const referenced = referencedSchema(schema['$ref'], definitions)
  const { enum: choices, anyOf, oneOf } = isJsonObject(referenced) ? { ...referenced, ...schema } : schema
  const parts: readonly unknown[] = [anyOf, oneOf].flatMap((list: unknown) => (Array.isArray(list) ? list : []))
  const only = parts.map((part) => (isJsonObject(part) ? part['const'] : undefined))
  const values: readonly unknown[] = Array.isArray(choices) ? choices : only
  return new Set(values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)).map(String))
}

function labelErrors(label: unknown, pointer: string): readonly FieldError[] {
  const texts = isJsonObject(label) ? Object.entries(label) : []
  if (texts.length === 0 || texts.length > maxLabels) {
    return faultAt(pointer, `must be an object of 1 to ${maxLabels} texts by language, such as { "en": "Due date" }`)
  }
  return texts.flatMap(([language, text]) => {
    const place = step(pointer, language)
    if (!languageTag.test(language)) return faultAt(place, 'is not a language such as en or pt-BR')
    return textErrors(text, place, maxDisplayText)
  })
}
