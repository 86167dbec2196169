import { watch, type Ref } from 'vue'
import { keepDraft, keptDraft } from '../session/drafts.ts'
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
  let isAsked = false
  watch(
    isReady,
    async (now) => {
      if (!now || isAsked) return
      const kept = await keptDraft(key())
      isAsked = true
      if (kept !== undefined && edited() === undefined) restore(kept as T)
    },
    { immediate: true },
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(edited, (now) => {
    if (!isAsked) return
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
