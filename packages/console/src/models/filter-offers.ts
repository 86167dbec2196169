import type { UnplacedSelectorTerm } from '@pergola/api'
import { words } from '../words/words.ts'
import { needsValue, operatorsFor, valuesOf, type Draft, type FilterField, type Operator } from './filter-logic.ts'
import { valueWords } from './format.ts'

/** One option of the list below the filter. */
export interface Offer {
  readonly key: string
  readonly title: string
  readonly kind: 'field' | 'op' | 'value' | 'find' | 'labels'
  readonly isOn?: boolean
  readonly act: () => void
}

interface Typed {
  readonly fields: readonly FilterField[]
  readonly draft: Draft
  readonly text: string
}

/** What choosing an option does. */
interface Acts {
  readonly step: (to: Draft) => void
  readonly put: (term: UnplacedSelectorTerm) => void
  readonly takeLabels: (labels: string) => void
  readonly takeValue: (value: string) => void
}

/** An operator as it reads for the field: `after` for days, `more than` for numbers. */
export function operatorWords(field: FilterField | undefined, op: Operator): string {
  const { operators, dateOperators } = words.value.objects
  return (isDateField(field) ? dateOperators : operators)[op]
}

export function isDateField(field: FilterField | undefined): boolean {
  return field?.widget === 'date' || field?.widget === 'time'
}

/** The options for the next part: a field, then an operator for it, then a value. */
export function offersFor({ fields, draft, text }: Typed, acts: Acts): readonly Offer[] {
  const typed = text.trim()
  const matches = (title: string) => title.toLowerCase().includes(typed.toLowerCase())
  const { field, op } = draft
  if (!field) {
    const found = fields.filter(({ title }) => matches(title))
    const offered = found.filter(({ isKey }) => !isKey)
    return [...offered.map((one) => fieldOffer(one, acts)), ...(typed === '' ? [] : findOffers(fields, typed, acts))]
  }
  if (!op) {
    const all = operatorsFor(field).map((one) => operatorOffer(field, one, acts))
    return all.filter(({ title }) => matches(title))
  }
  const known = valuesOf(field).filter((value) => matches(value) || matches(valueWords(value)))
  return known.map((value) => valueOffer({ ...draft, field }, value, acts))
}

function fieldOffer(field: FilterField, { step }: Acts): Offer {
  return { key: field.key, title: field.title, kind: 'field', act: () => step({ field }) }
}

/** Offers to search a typed word in the first two text fields, in the name and in the index of words, or to use it as a label. */
function findOffers(fields: readonly FilterField[], typed: string, { put, takeLabels }: Acts): readonly Offer[] {
  const { objects } = words.value
  const texts = fields
    .filter(({ key, widget }) => widget === 'text' && key !== 'metadata.name' && key !== 'words')
    .slice(0, 2)
  const found = [...texts, ...fields.filter(({ key }) => key === 'metadata.name')]
  const begins = found.map(({ key, title }) => ({
    key: `find ${key}`,
    title: objects.begins(title, typed),
    kind: 'find' as const,
    act: () => put({ key, op: 'prefix', value: typed }),
  }))
  const labels = {
    key: 'labels',
    title: objects.tagged(typed),
    kind: 'labels' as const,
    act: () => takeLabels(typed),
  }
  const contains = fields
    .filter(({ key }) => key === 'words')
    .map(({ key }) => ({
      key: 'contains',
      title: objects.contains(typed),
      kind: 'find' as const,
      act: () => put({ key, op: 'prefix', value: typed.toLowerCase() }),
    }))
  return [
    ...valuesLike(fields, typed, put),
    ...begins,
    ...contains,
    ...(/^[!\w./-]+(\s*[=!]|$)/.test(typed) ? [labels] : []),
  ]
}

/** `State is open` for a typed `open`. */
function valuesLike(fields: readonly FilterField[], typed: string, put: Acts['put']): readonly Offer[] {
  return fields
    .filter(({ widget }) => widget === 'choice')
    .flatMap((field) =>
      valuesOf(field)
        .filter((value) => [value, valueWords(value)].some((one) => one.toLowerCase().includes(typed.toLowerCase())))
        .map((value) => ({
          key: `value ${field.key} ${value}`,
          title: `${field.title} ${operatorWords(field, '=')} ${valueWords(value)}`,
          kind: 'find' as const,
          act: () => put({ key: field.key, op: '=', value }),
        })),
    )
}

function operatorOffer(field: FilterField, op: Operator, { step, put }: Acts): Offer {
  const bare = { key: field.key, op } as UnplacedSelectorTerm
  return {
    key: op,
    title: operatorWords(field, op),
    kind: 'op',
    act: () => (needsValue(op) ? step({ field, op }) : put(bare)),
  }
}

function valueOffer(draft: Draft & { readonly field: FilterField }, value: string, { takeValue }: Acts): Offer {
  const { yes, no } = words.value.object
  return {
    key: value,
    title: draft.field.widget === 'switch' ? (value === 'true' ? yes : no) : value,
    kind: 'value',
    isOn: draft.values?.includes(value) ?? false,
    act: () => takeValue(value),
  }
}
