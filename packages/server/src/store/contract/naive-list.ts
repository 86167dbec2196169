import { compareKeys } from '../index-key.ts'
import type { Clause, Condition, SortKey, Term } from '../store.ts'
import type { Person } from './fixture.ts'

/** A naive implementation of lists; the suite compares every engine with it. */
export function naiveList(
  oldestFirst: readonly Person[],
  where: readonly Clause[],
  sort: readonly SortKey[],
): string[] {
  const matching = oldestFirst
    .map((person, age) => ({ person, age }))
    .filter(({ person }) => where.every((clause) => matches(person, clause)))
  const tieBreak = sort.at(-1)?.descending ?? true
  return matching
    .toSorted((a, b) => {
      for (const { field, descending } of sort) {
        const order =
          field === 'metadata.creationTimestamp'
            ? a.age - b.age
            : compareValues(valueOf(a.person, field), valueOf(b.person, field))
        if (order !== 0) return descending ? -order : order
      }
      return tieBreak ? b.age - a.age : a.age - b.age
    })
    .map(({ person }) => person.name)
}

function matches(person: Person, clause: Clause): boolean {
  if (!('anyOf' in clause)) return holds(person, clause)
  return clause.anyOf.some((terms) => terms.every((term) => holds(person, term)))
}

function holds(person: Person, term: Term): boolean {
  const values = 'label' in term ? labelValues(person, term.label) : valuesOf(person, term.field)
  return conditionHolds(values, term.is)
}

function conditionHolds(values: readonly string[], condition: Condition): boolean {
  switch (condition.op) {
    case 'present':
      return values.length > 0
    case 'absent':
      return values.length === 0
    case 'in':
      return values.some((value) => condition.values.includes(value))
    case 'not in':
      return !values.some((value) => condition.values.includes(value))
    case '=':
      return values.includes(condition.value)
    case '>':
      return values.some((value) => compareKeys(value, condition.value) > 0)
    case '>=':
      return values.some((value) => compareKeys(value, condition.value) >= 0)
    case '<':
      return values.some((value) => compareKeys(value, condition.value) < 0)
    case '<=':
      return values.some((value) => compareKeys(value, condition.value) <= 0)
    case 'prefix':
      return values.some((value) => value.startsWith(condition.value))
  }
}

function labelValues({ labels = {} }: Person, key: string): readonly string[] {
  const value = labels[key]
  return value === undefined ? [] : [value]
}

function valuesOf(person: Person, field: string): readonly string[] {
  if (field === 'tags') return person.tags ?? []
  const value = valueOf(person, field)
  return value === undefined ? [] : [value]
}

function valueOf(person: Person, field: string): string | undefined {
  if (field === 'metadata.name') return person.name
  if (field === 'city' || field === 'age' || field === 'email') return person[field]
  return undefined
}

function compareValues(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  return compareKeys(a, b)
}
