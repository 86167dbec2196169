import { ref, toValue, watch, type MaybeRefOrGetter, type Ref } from 'vue'
import type { NeededRight } from 'vue-router'
import { held, mayDo } from './permissions.ts'

/** Whether the API would allow a request, kept current; hides buttons that would be rejected. */
export function useMay(right: MaybeRefOrGetter<NeededRight>): Readonly<Ref<boolean>> {
  const may = ref(false)
  watch(
    [() => toValue(right), held],
    async ([needed]) => {
      may.value = await mayDo(needed)
    },
    { immediate: true },
  )
  return may
}
