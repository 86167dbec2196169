import { formatSelector, parseSelector, type UnplacedSelectorTerm } from '@pergola/api'
import type { Selection } from '@pergola/client'
import { usedWrongly } from '../terminal/command-fault.ts'

const operators = { '!=': '!=', '>=': '>=', '<=': '<=', '^=': 'prefix', '=': '=', '>': '>', '<': '<' } as const

/** Parses `--where` options, one term each: `spec.state=open`, `spec.due<2030-01-01`, `spec.city=(Rome,Oslo)`, `!spec.due`. */
export function fieldSelectorOf(words: readonly string[], indexed: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : formatSelector(words.map((word) => termOf(word, indexed)))
}

/** Parses an `--any-of` option, which may have several terms: `state=open,due<2030-01-01`. */
export function alternativeOf(text: string, indexed: readonly string[]): string {
  return formatSelector(parseSelector('anyOf', text).map((term) => ({ ...term, key: fieldOf(term.key, indexed) })))
}

/** Parses `--sort` options: `spec.due` in the index's order, `-spec.due` or `spec.due,desc`, `+spec.due` or `spec.due,asc`. */
export function sortOf(words: readonly string[], indexed: readonly string[]): readonly string[] {
  return words.map((word) => {
    const [, sign = '', name = '', direction = ''] = /^([-+]?)([^,]*)(,.*)?$/.exec(word) ?? []
    if (sign !== '' && direction !== '') throw usedWrongly(`--sort takes one direction; write "${name}${direction}"`)
    const field = fieldOf(name, indexed)
    return sign === '' ? `${field}${direction}` : `${field},${sign === '-' ? 'desc' : 'asc'}`
  })
}

function termOf(word: string, indexed: readonly string[]): UnplacedSelectorTerm {
  const [, absent = '', key = '', operator = '', value = ''] =
    /^(!?)([^=!<>^]+)(?:(!=|>=|<=|\^=|=|>|<)(.*))?$/s.exec(word) ?? []
  if (key === '' || (absent !== '' && operator !== '')) {
    throw usedWrongly(`--where takes field=value, such as spec.state=open, and also != < <= > >= ^=; not "${word}"`)
  }
  if (value.startsWith('=')) throw usedWrongly(`"${operator}=" in "${word}" is not known; write a single "="`)
  if (operator !== '' && (key.endsWith(' ') || /^\s|\s$/.test(value))) {
    throw usedWrongly(
      `--where takes no spaces around the operator or the value; write "${key.trim()}${operator}${value.trim()}"`,
    )
  }
  const field = fieldOf(key.trim(), indexed)
  if (operator === '') return { key: field, op: absent === '' ? 'present' : 'absent' }
  const isSet = (operator === '=' || operator === '!=') && /^\(.+\)$/s.test(value)
  if (isSet) return { key: field, op: operator === '=' ? 'in' : 'not in', values: value.slice(1, -1).split(',') }
  return { key: field, op: operators[operator as keyof typeof operators], value }
}

/** Lets indexed fields of the spec be written without `spec.`. */
function fieldOf(name: string, indexed: readonly string[]): string {
  return !indexed.includes(name) && indexed.includes(`spec.${name}`) ? `spec.${name}` : name
}

/** Options that select objects. */
export interface SelectionOptions {
  readonly where: readonly string[]
  readonly anyOf?: readonly string[]
  readonly label: readonly string[]
}

export function isSelection({ where, anyOf = [], label }: SelectionOptions): boolean {
  return where.length + anyOf.length + label.length > 0
}

/** The selectors of a list, a watch or a deletion. */
export function selectionOf({ where, anyOf = [], label }: SelectionOptions, indexed: readonly string[]): Selection {
  return {
    fieldSelector: fieldSelectorOf(where, indexed),
    labelSelector: label.length === 0 ? undefined : label.join(','),
    ...(anyOf.length > 0 && { anyOf: anyOf.map((text) => alternativeOf(text, indexed)) }),
  }
}
