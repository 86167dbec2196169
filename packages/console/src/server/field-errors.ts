import type { FieldError } from '@pergola/client'
import { words } from '../words/words.ts'

/** What is wrong with a field, in the language of the console where it knows the rule, else as the server says it. */
export function fieldErrorWords({
  rule,
  params,
  message,
}: Pick<FieldError, 'rule' | 'message'> & { readonly params?: object }): string {
  const known = words.value.rules[rule]
  return known?.({ ...params }) ?? sentence(message)
}

/** The server says what follows the name of the field: `is required`. */
function sentence(message: string): string {
  const end = /[.!?]$/.test(message) ? '' : '.'
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${end}`
}
