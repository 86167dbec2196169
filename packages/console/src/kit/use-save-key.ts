import { onScopeDispose } from 'vue'

/** Ctrl S or ⌘S saves the form instead of the HTML document. */
export function useSaveKey(save: () => void): void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (!document.querySelector('dialog[open]')) save()
  }
  document.addEventListener('keydown', onKey)
  onScopeDispose(() => document.removeEventListener('keydown', onKey))
}
