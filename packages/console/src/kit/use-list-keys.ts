import { onScopeDispose, type ShallowRef } from 'vue'

const filter = '[data-filter]'

/**
 * Keys of pages with a list: `/` focuses the filter; the down arrow or `j` moves from the heading or the filter to the first
 * row. Pages can add keys.
 */
export function useListKeys(
  page: Readonly<ShallowRef<HTMLElement | null>>,
  own: Readonly<Record<string, () => unknown>> = {},
): void {
  const onKey = (event: KeyboardEvent) => {
    const [target] = event.composedPath()
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (!(target instanceof HTMLElement) || target.closest('[role=dialog], dialog')) return
    const isTyping = target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select')
    const wanted = wantedBy(event.key, target, isTyping)
    const found = wanted === undefined ? undefined : page.value?.querySelector<HTMLElement>(wanted)
    if (found) {
      event.preventDefault()
      found.focus()
    } else if (!isTyping) own[event.key]?.()
  }
  document.addEventListener('keydown', onKey)
  onScopeDispose(() => document.removeEventListener('keydown', onKey))
}

function wantedBy(key: string, target: HTMLElement, isTyping: boolean): string | undefined {
  if (key === '/' && !isTyping) return filter
  const isOutside = target === document.body || target.matches('h1')
  const isFirst = key === 'ArrowDown' || key === 'j'
  return isFirst && isOutside ? '[data-row] :is(a, button)' : undefined
}
