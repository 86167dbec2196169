import type { FieldError } from '@pergola/client'
import { words } from '../words/words.ts'

/** The error of a field, translated if the rule is known, else in the server's words. */
export function fieldErrorWords({
  rule,
  params,
  message,
}: Pick<FieldError, 'rule' | 'message'> & { readonly params?: object }): string {
  const known = words.value.rules[rule]
  return known?.({ ...params }) ?? sentence(message)
}

/** The server's message continues the name of the field: `is required`. */
function sentence(message: string): string {
  const end = /[.!?]$/.test(message) ? '' : '.'
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${end}`
}
