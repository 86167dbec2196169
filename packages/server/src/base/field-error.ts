import type { FieldError } from '@pergola/api'

export function fieldError(pointer: string, rule: string, message: string): FieldError & { readonly pointer: string } {
  return { pointer, field: fieldOf(pointer), rule, message }
}

/** A fault of the query parameter, which has no place in the body. */
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
