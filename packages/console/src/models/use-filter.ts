import type { UnplacedSelectorTerm } from '@pergola/api'
import { computed, ref, type ComputedRef, type Ref } from 'vue'
import { draftOf, pastedTerms, termOf, valuesOf, type Draft, type FilterField } from './filter-logic.ts'
import { isDateField, offersFor, type Offer } from './filter-offers.ts'
import type { ListState } from './list-state.ts'

export interface Filter {
  readonly text: Ref<string>
  readonly draft: Ref<Draft>
  /** Index of the chip being edited. */
  readonly at: Ref<number | undefined>
  readonly active: Ref<number>
  readonly isDate: ComputedRef<boolean>
  readonly offers: ComputedRef<readonly Offer[]>
  readonly put: (term: UnplacedSelectorTerm | undefined) => void
  readonly change: (index: number, part: 'field' | 'op' | 'value') => void
  readonly without: (index: number) => void
  /** Leaving the field applies the parts chosen so far. */
  readonly settle: () => void
  readonly enter: () => void
  readonly back: () => void
  readonly move: (by: 1 | -1) => void
}

interface Used {
  readonly fields: () => readonly FilterField[]
  readonly state: () => ListState
  readonly emit: (to: Partial<ListState>) => void
  /** The condition needs another part. */
  readonly focus: () => void
  readonly close: () => void
}

/** Typing suggests fields, then operators, then values; a complete condition becomes a chip. */
export function useFilter({ fields, state, emit, focus, close }: Used): Filter {
  const text = ref('')
  const draft = ref<Draft>({})
  const at = ref<number>()
  const active = ref(0)
  const restart = (to: Draft) => {
    draft.value = to
    text.value = ''
    active.value = 0
  }
  const step = (to: Draft) => {
    restart(to)
    focus()
  }
  const end = (to: Partial<ListState> = {}) => {
    if (Object.keys(to).length > 0) emit(to)
    restart({})
    at.value = undefined
    close()
  }
  const put = (term: UnplacedSelectorTerm | undefined) => {
    const { where } = state()
    end(term && { where: at.value === undefined ? [...where, term] : where.with(at.value, term) })
  }
  const without = (index: number) => emit({ where: state().where.filter((_, one) => one !== index) })
  const takeValue = (value: string) => {
    const { op, values = [] } = draft.value
    if (op !== 'in' && op !== 'not in') return put(termOf(draft.value, value))
    const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
    draft.value = { ...draft.value, values: next }
    text.value = ''
  }
  const acts = { step, put, takeValue, takeLabels: (labels: string) => end({ labels }) }
  const offers = computed(() => offersFor({ fields: fields(), draft: draft.value, text: text.value }, acts))
  const enter = () => {
    const typed = text.value.trim()
    const { field, op, values = [] } = draft.value
    const pasted = field ? undefined : pastedTerms(typed, fields())
    if (pasted) return end({ where: [...state().where, ...pasted] })
    const isTyped = field && op && (valuesOf(field).length === 0 || (typed === '' && values.length > 0))
    if (isTyped) return put(termOf(draft.value, typed))
    offers.value[active.value]?.act()
  }
  return {
    text,
    draft,
    at,
    active,
    isDate: computed(() => isDateField(draft.value.field)),
    offers,
    put,
    without,
    enter,
    change: (index, part) => {
      const term = state().where[index]
      if (!term) return
      at.value = index
      const from = draftOf(term, fields())
      step({ field: {}, op: from.field ? { field: from.field } : {}, value: from }[part])
    },
    settle: () => {
      if (draft.value.values?.length) put(termOf(draft.value, ''))
    },
    back: () => {
      if (text.value !== '') return
      const { field, op } = draft.value
      if (op && field) draft.value = { field }
      else if (field) draft.value = {}
      else if (state().where.length > 0) without(state().where.length - 1)
    },
    move: (by) => {
      const { length } = offers.value
      if (length > 0) active.value = (active.value + by + length) % length
    },
  }
}
