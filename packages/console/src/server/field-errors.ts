import type { FieldError } from '@pergola/client'
import { words } from '../words/words.ts'

/** What is wrong with a field, in the language of the console where it knows the rule, else as the server says it. */
export function fieldErrorWords({
  rule,
  params,
  message,
}: Pick<FieldError, 'rule' | 'message'> & { readonly params?: object }): string {
  const known = words.value.rules[rule]
  return known?.({ ...params }) ?? message
}
