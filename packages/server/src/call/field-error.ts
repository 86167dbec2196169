import type { FieldError, FieldRule, FieldRuleParams } from '@pergola/api'

/** The message; with its values, if the rule has any. */
type Said<Rule extends FieldRule> = Rule extends keyof FieldRuleParams
  ? { readonly message: string; readonly params: FieldRuleParams[Rule] }
  : string

type PlacedError = FieldError & { readonly pointer: string }

export function fieldError<Rule extends FieldRule>(pointer: string, rule: Rule, said: Said<Rule>): PlacedError {
  const words: { readonly message: string } = typeof said === 'string' ? { message: said } : said
  return { pointer, field: fieldOf(pointer), rule, ...words }
}

export interface Bound {
  readonly found: number
  readonly limit: number
  readonly unit: string
}

export function limitError(pointer: string, { found, limit, unit }: Bound): PlacedError {
  const message = `has ${found} ${unit}; at most ${limit} are allowed`
  return fieldError(pointer, 'limit', { message, params: { limit, actual: found, unit } })
}

/** The same error at another place of the body. */
export function movedTo(pointer: string, error: FieldError): PlacedError {
  return { ...error, pointer, field: fieldOf(pointer) }
}

/** An error of the query parameter, which has no location in the body. */
export function queryError(parameter: string, message: string, params?: FieldError['params']): FieldError {
  return { field: `query.${parameter}`, rule: 'query', message, ...(params && { params }) }
}

/** Appends a step to a pointer, escaped as in RFC 6901. */
export function step(pointer: string, key: string): string {
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** `/rules/0/verbs` as people write it: `rules[0].verbs`; an ambiguous key is quoted. */
function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key, at) => {
      if (/^\d+$/.test(key)) return `[${key}]`
      if (!/^[\w-]+$/.test(key)) return `[${JSON.stringify(key)}]`
      return at === 0 ? key : `.${key}`
    })
    .join('')
}

/** The value at a pointer; undefined when there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}
