import { onScopeDispose, ref, type Ref, type ShallowRef } from 'vue'

export interface Popup {
  readonly isOpen: Ref<boolean>
  /** Focuses the first button or field of the root. */
  readonly close: () => void
}

/** A popup below its button or field. Escape, a press elsewhere or losing the focus closes it. */
export function usePopup(root: Readonly<ShallowRef<HTMLElement | null>>): Popup {
  const isOpen = ref(false)
  const isInside = (target: EventTarget | null) => target instanceof Node && (root.value?.contains(target) ?? false)
  const close = () => {
    isOpen.value = false
    root.value?.querySelector<HTMLElement>('button, input')?.focus()
  }
  const onPress = ({ target }: Event) => {
    if (isOpen.value && !isInside(target)) isOpen.value = false
  }
  const onFocus = ({ target }: FocusEvent) => {
    if (isOpen.value && !isInside(target)) isOpen.value = false
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen.value) return
    event.preventDefault()
    event.stopPropagation()
    close()
  }
  document.addEventListener('pointerdown', onPress)
  document.addEventListener('focusin', onFocus)
  document.addEventListener('keydown', onKey, { capture: true })
  onScopeDispose(() => {
    document.removeEventListener('pointerdown', onPress)
    document.removeEventListener('focusin', onFocus)
    document.removeEventListener('keydown', onKey, { capture: true })
  })
  return { isOpen, close }
}
