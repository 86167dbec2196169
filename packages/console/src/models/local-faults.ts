import type { Schema } from './schema.ts'

/** Checks a value in the browser, as far as the schema allows. */
export type LocalFault =
  | { readonly rule: 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'maxItems'; readonly limit: number }
  | { readonly rule: 'number' | 'integer' | 'email' | 'uri' | 'date' }

export function localFault(schema: Schema, value: unknown): LocalFault | undefined {
  const { type } = schema
  const types = [type ?? []].flat()
  if (value === undefined || value === null || value === '') return undefined
  if (types.includes('number') || types.includes('integer')) return numberFault(schema, value, types)
  if (Array.isArray(value)) return over(value.length, schema.maxItems, 'maxItems')
  return typeof value === 'string' ? textFault(schema, value) : undefined
}

function over(size: number, limit: number | undefined, rule: 'maxItems' | 'maxLength'): LocalFault | undefined {
  return limit !== undefined && size > limit ? { rule, limit } : undefined
}

function numberFault({ minimum, maximum }: Schema, value: unknown, types: readonly string[]): LocalFault | undefined {
  if (typeof value !== 'number') return { rule: 'number' }
  if (minimum !== undefined && value < minimum) return { rule: 'minimum', limit: minimum }
  if (maximum !== undefined && value > maximum) return { rule: 'maximum', limit: maximum }
  return !types.includes('number') && !Number.isInteger(value) ? { rule: 'integer' } : undefined
}

function textFault({ format, minLength, maxLength }: Schema, value: string): LocalFault | undefined {
  if (minLength !== undefined && value.length < minLength) return { rule: 'minLength', limit: minLength }
  const tooLong = over(value.length, maxLength, 'maxLength')
  if (tooLong) return tooLong
  if (format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return { rule: 'email' }
  if (format === 'uri' && !URL.canParse(value)) return { rule: 'uri' }
  return format === 'date' && !/^\d{4}-\d\d-\d\d$/.test(value) ? { rule: 'date' } : undefined
}
