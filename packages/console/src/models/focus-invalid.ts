import { nextTick } from 'vue'

/** Focuses the first invalid field after the server rejected a form. */
export async function focusFirstInvalid(root: HTMLElement | null): Promise<boolean> {
  await nextTick()
  const found = root?.querySelector<HTMLElement>('[aria-invalid="true"]')
  const target = found?.matches('[role=radiogroup]') ? found.querySelector<HTMLElement>('input') : found
  target?.focus()
  target?.scrollIntoView({ block: 'center' })
  return target !== undefined && target !== null
}
