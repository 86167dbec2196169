import { computed, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/** The chosen tab of a page, kept in its address. */
export function useTab(first: string): WritableComputedRef<string> {
  const route = useRoute()
  const router = useRouter()
  return computed({
    get: () => (typeof route.query['tab'] === 'string' ? route.query['tab'] : first),
    set: (to) => {
      const { tab: _, ...others } = route.query
      void router.replace({ query: to === first ? others : { ...others, tab: to } })
    },
  })
}
