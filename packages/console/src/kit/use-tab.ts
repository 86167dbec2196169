import { computed, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/** The selected tab, kept in the address; the first one if the address names no existing tab. */
export function useTab(tabs: () => readonly { readonly key: string }[]): WritableComputedRef<string> {
  const route = useRoute()
  const router = useRouter()
  const first = () => tabs()[0]?.key ?? ''
  return computed({
    get: () => tabs().find(({ key }) => key === route.query['tab'])?.key ?? first(),
    set: (to) => {
      const { tab: _, ...others } = route.query
      void router.replace({ query: to === first() ? others : { ...others, tab: to } })
    },
  })
}
