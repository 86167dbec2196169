import { conditionHolds } from './condition.ts'
import { indexKey } from './index-key.ts'
import type { Clause, IndexedValues, Term } from './store.ts'

/** The parts of an object by which it can be selected. */
export interface Selectable {
  readonly indexed: IndexedValues
  readonly name: string
  readonly createdAt: number
  readonly deletedAt: number | undefined
}

/** Whether all clauses select the object, decided as a list decides it. */
export function selects(where: readonly Clause[], object: Selectable): boolean {
  return where.every((clause) =>
    'anyOf' in clause
      ? clause.anyOf.some((terms) => selects(terms, object))
      : conditionHolds(valuesOf(clause, object), clause.is),
  )
}

export function isTerm(clause: Clause): clause is Term {
  return !('anyOf' in clause)
}

/** All terms, with those of alternatives. */
export function termsIn(where: readonly Clause[]): readonly Term[] {
  return where.flatMap((clause) => ('anyOf' in clause ? clause.anyOf.flat() : [clause]))
}

/** The object's values for a term. */
export function valuesOf(term: TermTarget, { indexed, name, createdAt, deletedAt }: Selectable): readonly string[] {
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
export type TermTarget = { readonly label: string } | { readonly field: string }

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}

function timeKey(at: number): string {
  const result = indexKey('timestamp', new Date(at).toISOString())
  if ('fault' in result) throw new Error(`a time of an object ${result.fault}`)
  return result.key
}
