import { ApiError } from '@pergola/api'
import type { Model } from '../models/model.ts'
import { indexKey } from '../store/index-key.ts'
import type { Change, IndexedValues, Term } from '../store/store.ts'
import { conditionHolds } from './condition.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** What a watch selects: the terms, which must all match, and the model as declared. */
export interface Selection {
  readonly model: Model
  readonly terms: readonly Term[]
  /** Equal for equal selections. */
  readonly key: string
  /** The indexes that the terms use, each with its form: values of another form cannot be compared. */
  readonly forms: readonly (readonly [index: string, form: string])[]
}

export function selectionOf(model: Model, terms: readonly Term[]): Selection {
  const named = new Set(terms.flatMap((term) => ('field' in term ? [term.field] : [])))
  const forms = model.indexes.filter(({ name }) => named.has(name)).map(({ name, form }) => [name, form] as const)
  return { model, terms, forms, key: JSON.stringify([terms, forms]) }
}

/**
 * The event of a change for a watch: an object that starts or stops being selected is added or deleted, whatever happened to
 * it. Undefined when the change does not concern the watch. Throws `RevisionExpired` when the log cannot tell.
 */
export function eventOf(selection: Selection, change: Change): EventType | undefined {
  checkForms(selection, change)
  const isNow = change.op !== 'deleted' && selects(selection.terms, after(change))
  const was = change.op !== 'added' && selects(selection.terms, before(change))
  if (isNow) return was ? 'MODIFIED' : 'ADDED'
  return was ? 'DELETED' : undefined
}

/** The parts of an object by which it can be selected. */
interface Selectable {
  readonly indexed: IndexedValues
  readonly name: string
  readonly createdAt: number
  readonly deletedAt: number | undefined
}

export function after({ object, indexed }: Change): Selectable {
  return { indexed, name: object.name, createdAt: object.createdAt, deletedAt: object.deletedAt }
}

export function before({ object, indexed, previous, declared }: Change): Selectable {
  const deletedAt = declared ? undefined : object.deletedAt
  return { indexed: previous ?? indexed, name: object.name, createdAt: object.createdAt, deletedAt }
}

function selects(terms: readonly Term[], object: Selectable): boolean {
  return terms.every((term) => conditionHolds(valuesOf(term, object), term.is))
}

/** The object's values for a term. */
export function valuesOf(term: TermPlace, { indexed, name, createdAt, deletedAt }: Selectable): readonly string[] {
  if ('label' in term) return listOf(Object.hasOwn(indexed.labels, term.label) ? indexed.labels[term.label] : undefined)
  switch (term.field) {
    case 'metadata.name':
      return [name]
    case 'metadata.creationTimestamp':
      return [timeKey(createdAt)]
    case 'metadata.deletionTimestamp':
      return listOf(deletedAt === undefined ? undefined : timeKey(deletedAt))
    default:
      return indexed.multi[term.field] ?? listOf(indexed.single[term.field])
  }
}

/** A term without its condition. */
export type TermPlace = { readonly label: string } | { readonly field: string }

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}

function timeKey(at: number): string {
  const result = indexKey('timestamp', new Date(at).toISOString())
  if ('fault' in result) throw new Error(`a time of an object ${result.fault}`)
  return result.key
}

function checkForms({ forms }: Selection, { indexed, previous, op }: Change): void {
  for (const [index, form] of forms) {
    const isKnown = indexed.forms[index] === form
    const wasKnown = op === 'added' || previous === undefined || previous.forms[index] === form
    if (isKnown && wasKnown) continue
    throw new ApiError(
      'RevisionExpired',
      `the index ${index} is younger than this place in the log, or has changed; list again and go on from there`,
    )
  }
}
