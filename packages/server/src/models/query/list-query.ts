import {
  ApiError,
  maxAlternatives,
  maxAlternativeTerms,
  maxSelectorTerms,
  nearest,
  parseSelector,
  type SelectorKind,
  type SelectorTerm,
} from '@pergola/api'
import { indexKey, type KeyType } from '../../store/index-key.ts'
import type { Clause, Condition, SortKey, Term } from '../../store/store.ts'
import { queryError } from '../../call/field-error.ts'
import type { Model } from '../model.ts'
import { queryFault } from './query-parameters.ts'

/** Fields of every model that a list can be selected and sorted by. */
const defaultFields: readonly Field[] = [
  { name: 'metadata.name', type: 'string', multi: false, descending: false },
  { name: 'metadata.creationTimestamp', type: 'timestamp', multi: false, descending: false },
  { name: 'metadata.deletionTimestamp', type: 'timestamp', multi: false, descending: false },
]

interface Field {
  readonly name: string
  readonly type: KeyType
  readonly multi: boolean
  readonly descending: boolean
}

/** All terms of both selectors and one clause for all `anyOf`; an object must match every one. */
export function termsOf(model: Model, query: URLSearchParams): readonly Clause[] {
  const labels = parsed(query, 'labelSelector')
  const fields = parsed(query, 'fieldSelector')
  const alternatives = alternativesOf(query)
  const count = labels.length + fields.length + alternatives.flat().length
  // SQLite allows an expression depth of at most 1,000, and each term adds one level.
  if (count > maxSelectorTerms) {
    const message = `the selectors have ${count} terms; at most ${maxSelectorTerms} are allowed`
    const parameter = labels.length > fields.length ? 'labelSelector' : 'fieldSelector'
    throw new ApiError('InvalidSelector', message, { errors: [queryError(parameter, message)] })
  }
  return [
    ...labels.map((term) => ({ label: term.key, is: conditionOf(term, 'string') })),
    ...fields.map((term) => fieldTerm(model, term)),
    ...(alternatives.length > 0
      ? [{ anyOf: alternatives.map((terms) => terms.map((term) => fieldTerm(model, term))) }]
      : []),
  ]
}

type GivenTerm = SelectorTerm & { readonly parameter: SelectorKind }

function parsed(query: URLSearchParams, kind: SelectorKind): readonly GivenTerm[] {
  return query.getAll(kind).flatMap((text) => parsedText(kind, text))
}

function parsedText(parameter: SelectorKind, text: string): readonly GivenTerm[] {
  // Some databases cannot store a NUL in text.
  if (text.includes('\0')) {
    throw queryFault('InvalidSelector', parameter, 'contains a NUL character, which no value can contain')
  }
  return parseSelector(parameter, text).map((term) => ({ ...term, parameter }))
}

function alternativesOf(query: URLSearchParams): readonly (readonly GivenTerm[])[] {
  const texts = query.getAll('anyOf')
  if (texts.length > maxAlternatives) {
    throw queryFault(
      'InvalidSelector',
      'anyOf',
      `is given ${texts.length} times; at most ${maxAlternatives} are allowed`,
    )
  }
  return texts.map((text) => {
    const terms = parsedText('anyOf', text)
    if (terms.length > maxAlternativeTerms) {
      const message = `"${text}" has ${terms.length} terms; at most ${maxAlternativeTerms} are allowed`
      throw queryFault('InvalidSelector', 'anyOf', message)
    }
    // Without one, no index narrows the whole selection.
    if (terms.every(({ op }) => op === 'absent' || op === '!=' || op === 'not in')) {
      const message = `"${text}" has only negative terms, which no index answers; add a positive one, such as key=value or key`
      throw queryFault('InvalidSelector', 'anyOf', message)
    }
    return terms
  })
}

function fieldTerm(model: Model, term: GivenTerm): Term {
  const field = fieldOf(model, term.key, { parameter: term.parameter, position: term.at })
  if (term.op === 'prefix' && field.type !== 'string') {
    throw invalidValue(term, `${field.name} is a ${field.type}; "^=" is only for strings`)
  }
  return { field: field.name, is: conditionOf(term, field.type) }
}

interface Where {
  readonly parameter: string
  /** The character of the parameter, from 1. */
  readonly position?: number
}

function fieldOf(model: Model, name: string, { parameter, position }: Where): Field {
  const fields = [...defaultFields, ...model.indexes.filter(({ isNext }) => !isNext)]
  const field = fields.find((candidate) => candidate.name === name)
  if (field) return field
  const names = fields.map((known) => known.name)
  const message = `"${name}" is not indexed in ${model.plural}${hintFor(name, names)}; indexed are ${names.join(', ')}`
  const where = position === undefined ? parameter : `${parameter}, character ${position}`
  throw new ApiError('FieldNotIndexed', `${where}: ${message}`, {
    errors: [{ ...queryError(parameter, message, { field: name }), rule: 'index' }],
  })
}

function hintFor(name: string, names: readonly string[]): string {
  if (name === 'metadata.labels') return '; labels are selected by labelSelector'
  const meant = nearest(name, names)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

function conditionOf(term: GivenTerm, type: KeyType): Condition {
  switch (term.op) {
    case 'present':
    case 'absent':
      return { op: term.op }
    case 'in':
    case 'not in':
      return { op: term.op, values: term.values.map((value) => keyOf(term, type, value)) }
    case '!=':
      return { op: 'not in', values: [keyOf(term, type, term.value)] }
    default:
      return { op: term.op, value: keyOf(term, type, term.value) }
  }
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** The value as a key of the index; throws when the value does not fit the type of the index. */
function keyOf(term: GivenTerm, type: KeyType, value: string): string {
  if (type === 'number' && !jsonNumber.test(value)) throw invalidValue(term, `"${value}" is not a number`)
  if (type === 'boolean' && value !== 'true' && value !== 'false') {
    throw invalidValue(term, `"${value}" is neither true nor false`)
  }
  const result = indexKey(type, value)
  if ('key' in result) return result.key
  throw invalidValue(term, `"${value}" ${result.fault}`)
}

function invalidValue(term: GivenTerm, message: string): ApiError {
  const position = 'valueAt' in term ? term.valueAt : term.at
  return new ApiError('InvalidSelector', `${term.parameter}, character ${position}: ${message}`, {
    errors: [{ ...queryError(term.parameter, message, { field: term.key, position }), rule: 'selector' }],
  })
}

/** `sort=<field>[,<direction>]`, repeatable; without a direction, that of the index. */
export function sortOf(model: Model, query: URLSearchParams): readonly SortKey[] {
  return query.getAll('sort').map((text) => {
    const [name = '', direction, ...rest] = text.split(',').map((part) => part.trim())
    const meant = otherWayOf(name)
    if (meant !== undefined) throw queryFault('BadRequest', 'sort', `"${text}" cannot be read; write sort=${meant}`)
    const field = fieldOf(model, name, { parameter: 'sort' })
    if (field.multi) {
      throw queryFault('BadRequest', 'sort', `names ${name}, which has several values per object; use another field`)
    }
    if (rest.length > 0 || (direction !== undefined && !/^(asc|desc)$/i.test(direction))) {
      throw queryFault('BadRequest', 'sort', `must be <field>,asc or <field>,desc; it is "${text}"`)
    }
    return { field: name, descending: direction === undefined ? field.descending : direction.toLowerCase() === 'desc' }
  })
}

/** Sort syntax of other services: `-spec.due`, `spec.due:desc`, `spec.due desc`. */
function otherWayOf(name: string): string | undefined {
  const [, sign, field] = /^([-+])([\w.-]+)$/.exec(name) ?? []
  if (field !== undefined) return `${field},${sign === '-' ? 'desc' : 'asc'}`
  const [, before, direction] = /^([\w.-]+)[:\s]+(asc|desc)$/i.exec(name) ?? []
  return direction === undefined ? undefined : `${before},${direction.toLowerCase()}`
}
