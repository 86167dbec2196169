import { ApiError, type UnplacedSelectorTerm } from '@pergola/api'
import type { ListQuery, Selection } from '../query.ts'

/** Options of `list` and `watch`, without field types. */
export interface LooseListOptions {
  readonly where?: Readonly<Record<string, unknown>>
  readonly labels?: Readonly<Record<string, unknown>>
  readonly sort?: string | readonly string[]
}

/** The selectors of a request. Undefined when no object can match, as with `{ in: [] }`. */
export function selectionOf({ where = {}, labels = {} }: LooseListOptions): Selection | undefined {
  const { anyOf, ...conditions } = where
  const [fields, byLabel] = [termsOf('where', conditions), termsOf('labels', labels)]
  if ('anyOf' in where && !Array.isArray(anyOf)) {
    throw new ApiError('BadRequest', 'where.anyOf must be an array of conditions by field')
  }
  const alternatives = (anyOf as readonly object[] | undefined)?.flatMap((one) => alternativeOf(one) ?? [])
  if (!fields || !byLabel || alternatives?.length === 0) return undefined
  return {
    ...(alternatives && { anyOf: alternatives }),
    ...(fields.length > 0 && { fieldSelector: fields }),
    ...(byLabel.length > 0 && { labelSelector: byLabel }),
  }
}

/** Converts `spec.due desc` to the form of the API, `spec.due,desc`, which is accepted as well. */
export function sortOf({ sort = [] }: LooseListOptions): Pick<ListQuery, 'sort'> {
  const keys = [sort].flat().map((key) => key.replace(' ', ','))
  return keys.length > 0 ? { sort: keys } : {}
}

/** Undefined when it matches no object; the other alternatives may match some. */
function alternativeOf(conditions: object): readonly (readonly UnplacedSelectorTerm[])[] | undefined {
  const terms = termsOf('where.anyOf', conditions)
  if (terms?.length === 0)
    throw new TypeError('an alternative of where.anyOf has no condition; it would match every object')
  return terms && [terms]
}

function termsOf(part: string, conditions: object): readonly UnplacedSelectorTerm[] | undefined {
  const terms = Object.entries(conditions).map(([key, condition]) => {
    // Ignoring the condition would select everything.
    if (condition === undefined || condition === null) {
      throw new ApiError(
        'BadRequest',
        `${part} "${key}" has no value; to ask for objects without one: { exists: false }`,
      )
    }
    return typeof condition === 'object' ? conditionTerms(part, key, condition) : [equals(key, condition)]
  })
  return terms.includes(undefined) ? undefined : terms.flatMap((some) => some ?? [])
}

const comparisons = { not: '!=', above: '>', atLeast: '>=', below: '<', atMost: '<=', startsWith: 'prefix' } as const

function conditionTerms(part: string, key: string, condition: object): readonly UnplacedSelectorTerm[] | undefined {
  const parts = Object.entries(condition).filter(([, value]) => value !== undefined)
  if (parts.length === 0) throw new TypeError(`${part} "${key}" has an empty condition`)
  if ('in' in condition && (condition.in as readonly unknown[]).length === 0) return undefined
  return parts.flatMap(([word, value]): readonly UnplacedSelectorTerm[] => {
    if (word === 'exists') return [{ key, op: value === true ? 'present' : 'absent' }]
    if (word === 'in' || word === 'notIn') {
      const values = (value as readonly unknown[]).map(String)
      return values.length === 0 ? [] : [{ key, op: word === 'in' ? 'in' : 'not in', values }]
    }
    if (!Object.hasOwn(comparisons, word)) {
      const known = ['in', 'notIn', 'exists', ...Object.keys(comparisons)].join(', ')
      throw new TypeError(`${part} "${key}" has the unknown condition "${word}"; known are ${known}`)
    }
    return [{ key, op: comparisons[word as keyof typeof comparisons], value: String(value) }]
  })
}

function equals(key: string, value: unknown): UnplacedSelectorTerm {
  return { key, op: '=', value: String(value) }
}
