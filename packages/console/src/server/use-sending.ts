import { isApiError, type FieldError } from '@pergola/client'
import { computed, ref, type ComputedRef, type Ref } from 'vue'
import { fieldErrorWords } from './field-errors.ts'

export interface Sending {
  readonly isBusy: Ref<boolean>
  /** An error that belongs to no field. */
  readonly failure: ComputedRef<unknown>
  /** The error of the field at a pointer. */
  readonly faultOf: (pointer: string) => string | undefined
  /** Resolves to whether it succeeded. */
  readonly send: (act: () => Promise<void>) => Promise<boolean>
}

/** Submits a small form and maps errors to its fields. `fields` are the pointers of the fields that the form shows. */
export function useSending(fields: readonly string[]): Sending {
  const isBusy = ref(false)
  const error = ref<unknown>()
  const errors = computed((): readonly FieldError[] => (isApiError(error.value) ? (error.value.errors ?? []) : []))
  const isAtFields = computed(
    () =>
      errors.value.length > 0 && errors.value.every(({ pointer }) => pointer !== undefined && fields.includes(pointer)),
  )
  return {
    isBusy,
    failure: computed(() => (isAtFields.value ? undefined : error.value)),
    faultOf: (pointer) => errors.value.filter((one) => one.pointer === pointer).map(fieldErrorWords)[0],
    send: async (act) => {
      isBusy.value = true
      error.value = undefined
      try {
        await act()
        return true
      } catch (reason) {
        error.value = reason
        return false
      } finally {
        isBusy.value = false
      }
    },
  }
}
