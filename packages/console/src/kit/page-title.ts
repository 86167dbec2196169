import { onUnmounted, shallowRef } from 'vue'

const shown = shallowRef<() => string>()

/** The heading of the page that is shown; undefined while a page without one is shown. */
export function pageTitle(): string | undefined {
  return shown.value?.()
}

/** Makes a heading the title of the document for as long as the component is there. */
export function usePageTitle(title: () => string): void {
  shown.value = title
  onUnmounted(() => {
    // The next page may be there already.
    if (shown.value === title) shown.value = undefined
  })
}
