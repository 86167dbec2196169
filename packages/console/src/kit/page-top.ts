import { onUnmounted, ref, shallowRef } from 'vue'
import type { RouteLocationRaw } from 'vue-router'

interface PageTop {
  readonly title: () => string
  /** Where the arrow of a phone leads; without it there is the menu. */
  readonly back?: (() => RouteLocationRaw) | undefined
}

const shown = shallowRef<PageTop>()

/** The heading of the page that is shown; undefined while a page without one is shown. */
export function pageTitle(): string | undefined {
  return shown.value?.title()
}

export function pageBack(): RouteLocationRaw | undefined {
  return shown.value?.back?.()
}

/** Makes a heading the title of the document for as long as the component is there. */
export function usePageTop(top: PageTop): void {
  shown.value = top
  onUnmounted(() => {
    // The next page may be there already.
    if (shown.value === top) shown.value = undefined
  })
}

const narrow = matchMedia('(max-width: 959px)')
/** The menu is a drawer, and the title and actions of a page stand in the top bar. */
export const isNarrow = ref(narrow.matches)
narrow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})
