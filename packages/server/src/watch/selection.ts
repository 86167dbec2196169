import { ApiError } from '@pergola/api'
import type { Model } from '../models/model.ts'
import { selects, termsIn, type Selectable } from '../store/selectable.ts'
import type { Change, Clause } from '../store/store.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** What a watch selects: the clauses, which must all match, and the model as declared. */
export interface Selection {
  readonly model: Model
  readonly terms: readonly Clause[]
  /** Equal for equal selections. */
  readonly key: string
  /** The indexes that the terms use, each with its form: values of another form cannot be compared. */
  readonly forms: readonly (readonly [index: string, form: string])[]
}

export function selectionOf(model: Model, terms: readonly Clause[]): Selection {
  const named = new Set(termsIn(terms).flatMap((term) => ('field' in term ? [term.field] : [])))
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

export function after({ object, indexed }: Change): Selectable {
  return { indexed, name: object.name, createdAt: object.createdAt, deletedAt: object.deletedAt }
}

export function before({ object, indexed, previous, declared }: Change): Selectable {
  const deletedAt = declared ? undefined : object.deletedAt
  return { indexed: previous ?? indexed, name: object.name, createdAt: object.createdAt, deletedAt }
}

function checkForms({ forms }: Selection, { indexed, previous, op }: Change): void {
  for (const [index, form] of forms) {
    const isKnown = indexed.forms[index] === form
    const wasKnown = op === 'added' || previous === undefined || previous.forms[index] === form
    if (isKnown && wasKnown) continue
    throw new ApiError(
      'RevisionExpired',
      `the index ${index} is newer than this position in the log, or has changed; list again and continue from there`,
    )
  }
}
