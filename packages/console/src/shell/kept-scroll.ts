import { onScopeDispose, watch, type ShallowRef } from 'vue'
import { useRouter } from 'vue-router'

const patienceMs = 2_000

/** Position in the browser history. */
function here(): number {
  return (history.state as { readonly position?: number } | null)?.position ?? 0
}

/** Restores the scroll position of each history entry on Back. Applies to elements with `data-scroll`. */
export function useKeptScroll(root: Readonly<ShallowRef<HTMLElement | null>>): void {
  const kept = new Map<number, number>()
  const router = useRouter()
  let isRestoring = false

  const onScroll = ({ target }: Event) => {
    if (isRestoring || !(target instanceof HTMLElement) || !target.matches('[data-scroll]')) return
    kept.set(here(), target.scrollTop)
  }
  watch(root, (element) => element?.addEventListener('scroll', onScroll, { capture: true, passive: true }))

  let isBack = false
  const onPop = () => {
    isBack = true
  }
  window.addEventListener('popstate', onPop)
  const stop = router.afterEach((to, from) => {
    const position = here()
    const wasBack = isBack
    isBack = false
    if (!wasBack) {
      if (to.path !== from.path) for (const key of kept.keys()) if (key >= position) kept.delete(key)
      return
    }
    restore(kept.get(position) ?? 0)
  })

  function restore(top: number): void {
    const until = Date.now() + patienceMs
    isRestoring = true
    const attempt = () => {
      const element = root.value?.querySelector('[data-scroll]')
      if (element) element.scrollTop = top
      if ((element && Math.abs(element.scrollTop - top) < 2) || Date.now() > until) isRestoring = false
      else requestAnimationFrame(attempt)
    }
    requestAnimationFrame(attempt)
  }
  onScopeDispose(() => {
    stop()
    window.removeEventListener('popstate', onPop)
  })
}
