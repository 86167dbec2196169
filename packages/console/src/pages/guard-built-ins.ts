import { onMounted, onScopeDispose, type Component } from 'vue'
import { toast } from '../kit/tell.ts'
import { words } from '../words/words.ts'
import { putBackBuiltIns } from './built-ins.ts'

const mostNames = 3
const shownMs = 10_000
const againMs = 500
/** Before the console's own listeners, so that these find what they need. */
const moments = ['pointerdown', 'click', 'keydown', 'popstate'] as const
const every = window.setInterval.bind(window)
const stop = window.clearInterval.bind(window)

/** While a page of a plugin is shown: built-in functions that it replaces are put back before the console needs them. */
export function useBuiltIns(plugin: string): void {
  const check = () => checkBuiltIns(plugin)
  for (const moment of moments) window.addEventListener(moment, check, { capture: true })
  const timer = every(check, againMs)
  onMounted(check)
  onScopeDispose(() => {
    check()
    stop(timer)
    for (const moment of moments) window.removeEventListener(moment, check, { capture: true })
  })
}

export function checkBuiltIns(plugin: string): void {
  const names = putBackBuiltIns()
  if (names.length > 0)
    toast(words.value.page.putBack(plugin, names.slice(0, mostNames)), { level: 'bad', ms: shownMs })
}

type Setup = (props: unknown, context: unknown) => unknown

/** The component, checked right after its setup: Vue could not finish the rendering without what that has replaced. */
export function guarded(page: Component, plugin: string): Component {
  const { setup } = page as { readonly setup?: Setup }
  if (!setup) return page
  // Vue gives the context only to a function of two parameters.
  const guardedSetup: Setup = (props, context) => {
    try {
      return setup(props, context)
    } finally {
      checkBuiltIns(plugin)
    }
  }
  return { ...page, setup: guardedSetup } as Component
}
