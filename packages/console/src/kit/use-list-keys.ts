import { onScopeDispose, type ShallowRef } from 'vue'

const filter = '[data-filter]'

/** On a page with a list: `/` focuses its filter, and the down arrow moves from the heading or the filter to the first row. */
export function useListKeys(page: Readonly<ShallowRef<HTMLElement | null>>): void {
  const onKey = (event: KeyboardEvent) => {
    const [target] = event.composedPath()
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (!(target instanceof HTMLElement) || target.closest('[role=dialog], dialog')) return
    const wanted = wantedBy(event.key, target)
    const found = wanted === undefined ? undefined : page.value?.querySelector<HTMLElement>(wanted)
    if (!found) return
    event.preventDefault()
    found.focus()
  }
  document.addEventListener('keydown', onKey)
  onScopeDispose(() => document.removeEventListener('keydown', onKey))
}

function wantedBy(key: string, target: HTMLElement): string | undefined {
  const isTyping = target.isContentEditable || target.matches('input, textarea, select')
  if (key === '/' && !isTyping) return filter
  const isOutside = target === document.body || target.matches(`h1, input${filter}`)
  return key === 'ArrowDown' && isOutside ? 'tbody :is(a, button)' : undefined
}
