import { onScopeDispose } from 'vue'
import { useRouter } from 'vue-router'
import { isRail } from '../theme.ts'
import { isSearchKey } from './search-key.ts'

const afterG: Readonly<Record<string, string>> = { h: '/', p: '/plugins', u: '/users' }

/** Keys on every page: search, menu, list of keys, and `g` followed by a letter. */
export function useShellKeys(on: { readonly search: () => void; readonly shortcuts: () => void }): void {
  const router = useRouter()
  let isAfterG = false
  const onKey = (event: KeyboardEvent) => {
    if (isSearchKey(event)) {
      event.preventDefault()
      if (!event.repeat) on.search()
      return
    }
    const wasAfterG = isAfterG
    isAfterG = false
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
    const to = wasAfterG ? afterG[event.key] : undefined
    if (to !== undefined) void router.push(to)
    else if (event.key === 'g') isAfterG = true
    else if (event.key === '[') isRail.value = !isRail.value
    else if (event.key === '?') on.shortcuts()
  }
  document.addEventListener('keydown', onKey)
  onScopeDispose(() => document.removeEventListener('keydown', onKey))
}

/** Ignores plain letters in text fields and dialogs. */
function isTyping(event: Event): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input:not([type=checkbox]), textarea, select, dialog') !== null
}
