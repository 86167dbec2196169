import { computed, inject, type ComputedRef, type InjectionKey } from 'vue'

/** Ids that connect a control to the label and the hint of its field. */
export interface FieldTie {
  readonly tie: Readonly<Record<string, unknown>>
  /** Element id of the label. */
  readonly labelled: string
}

export const fieldTie: InjectionKey<ComputedRef<FieldTie>> = Symbol('field')

/** The ids of the field around a control; none outside of a field, where the control needs an `aria-label`. */
export function useFieldTie(): ComputedRef<FieldTie> {
  return inject(fieldTie, () => computed(() => ({ tie: {}, labelled: '' })), true)
}
