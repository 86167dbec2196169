import { onUnmounted, ref, shallowRef } from 'vue'
import type { RouteLocationRaw } from 'vue-router'

interface PageTop {
  readonly title: () => string
  /** Target of the back arrow on a phone; if omitted, the top bar shows the menu button. */
  readonly back?: (() => RouteLocationRaw) | undefined
}

const shown = shallowRef<PageTop>()

/** Title of the current page; undefined if it has none. */
export function pageTitle(): string | undefined {
  return shown.value?.title()
}

/** Identifies the current page: every page has another one. */
export function pageTop(): Pick<PageTop, 'title'> | undefined {
  return shown.value
}

export function pageBack(): RouteLocationRaw | undefined {
  return shown.value?.back?.()
}

/** Makes a heading the document's title while the component is mounted. */
export function usePageTop(top: PageTop): void {
  shown.value = top
  onUnmounted(() => {
    // The next page may already have set its title.
    if (shown.value === top) shown.value = undefined
  })
}

const narrow = matchMedia('(max-width: 959px)')
/** Then the menu is a drawer, and the top bar shows the page's title and actions. */
export const isNarrow = ref(narrow.matches)
narrow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})
