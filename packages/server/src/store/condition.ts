import { compareKeys } from './index-key.ts'
import type { Condition } from './store.ts'

/** As in the store: a condition on a set holds when one of its values matches; a negative one when none does. */
export function conditionHolds(values: readonly string[], is: Condition): boolean {
  switch (is.op) {
    case 'present':
      return values.length > 0
    case 'absent':
      return values.length === 0
    case '=':
      return values.includes(is.value)
    case 'in':
      return values.some((value) => is.values.includes(value))
    case 'not in':
      return !values.some((value) => is.values.includes(value))
    case 'prefix':
      return values.some((value) => value.startsWith(is.value))
    case '>':
      return values.some((value) => compareKeys(value, is.value) > 0)
    case '>=':
      return values.some((value) => compareKeys(value, is.value) >= 0)
    case '<':
      return values.some((value) => compareKeys(value, is.value) < 0)
    case '<=':
      return values.some((value) => compareKeys(value, is.value) <= 0)
  }
}
