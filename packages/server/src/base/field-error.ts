import type { FieldError } from '@pergola/api'

export function fieldError(pointer: string, rule: string, message: string): FieldError {
  return { pointer, field: fieldOf(pointer), rule, message }
}

/** One more step into a pointer, escaped as RFC 6901 asks. */
export function step(pointer: string, key: string): string {
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** `/rules/0/verbs` as people write it: `rules[0].verbs`; a key that would be misread is quoted. */
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

/** What stands at a pointer; undefined when nothing does. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}
