import { ref, watch, type Ref } from 'vue'
import { keepDraft, keptDraft } from '../session/drafts.ts'
import { hasEnded } from '../session/session.ts'
import type { Schema } from './schema.ts'
import { withoutSecrets } from './without-secrets.ts'

const pauseMs = 500

interface Edited<T extends object> {
  readonly key: () => string
  readonly schema: () => Schema | undefined
  /** The current draft; undefined if nothing is being edited. */
  readonly edited: () => T | undefined
  readonly isReady: Readonly<Ref<boolean>>
  readonly restore: (draft: T) => void
}

/** Keeps a draft, without secrets, until it is saved or discarded, so that reopening the page restores it. */
export function useKeptDraft<T extends object>({ key, schema, edited, isReady, restore }: Edited<T>): void {
  const isAsked = ref(false)
  watch(
    isReady,
    async (now) => {
      if (!now || isAsked.value) return
      const kept = await keptDraft(key())
      isAsked.value = true
      if (kept !== undefined && edited() === undefined) restore(kept as T)
    },
    { immediate: true },
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  // Also what was typed before the kept draft was read, and again after a new sign-in: both may have failed to be kept.
  watch([edited, isAsked, hasEnded], ([now]) => {
    if (!isAsked.value) return
    clearTimeout(timer)
    const whole = schema()
    const at = key()
    if (now !== undefined && !whole) return
    const draft = now === undefined ? undefined : withoutSecretsOf(now, whole ?? {})
    timer = setTimeout(() => void keepDraft(at, draft), now === undefined ? 0 : pauseMs)
  })
}

function withoutSecretsOf(draft: object, schema: Schema): unknown {
  return Object.fromEntries(Object.entries(draft).map(([part, value]) => [part, withoutSecrets(schema, schema, value)]))
}
