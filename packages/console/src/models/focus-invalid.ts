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

/** Focuses the first field of a form that has just appeared in a dialog. */
export async function focusFirstField(form: HTMLElement): Promise<void> {
  await nextTick()
  const active = document.activeElement
  const dialog = form.closest('dialog')
  const isIdle = active === document.body || active === dialog || active?.closest('.head')?.parentElement === dialog
  if (dialog && isIdle) form.querySelector<HTMLElement>('input, textarea, select')?.focus()
}
