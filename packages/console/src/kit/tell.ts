import { readonly, shallowRef } from 'vue'
import { problemWords } from '../server/problem-words.ts'

export interface Toast {
  readonly key: number
  readonly text: string
  readonly level: 'done' | 'bad' | 'busy'
  readonly action?: { readonly title: string; readonly run: () => void } | undefined
}

const shown = shallowRef<readonly Toast[]>([])
export const toasts = readonly(shown)
let last = 0

const shortMs = 6_000
const longMs = 10_000

export interface ToastOptions {
  readonly level?: Toast['level']
  readonly action?: Toast['action']
  /** 0: until the user closes it. */
  readonly ms?: number
}

/** Shows a toast and returns a function that removes it. */
export function toast(
  text: string,
  { level = 'done', action, ms = action ? longMs : shortMs }: ToastOptions = {},
): () => void {
  const key = ++last
  shown.value = [...shown.value, { key, text, level, action }]
  const close = () => {
    shown.value = shown.value.filter((one) => one.key !== key)
  }
  if (ms > 0) setTimeout(close, ms)
  return close
}

export function closeToast(key: number): void {
  shown.value = shown.value.filter((one) => one.key !== key)
}

/** Confirms an action in a toast. */
export function tellDone(message: string): void {
  toast(message)
}

/** Shows an error that belongs to no place on the page. */
export function tellProblem(error: unknown): void {
  const { title, detail } = problemWords(error)
  toast(`${title}: ${detail}`, { level: 'bad', ms: longMs })
}
