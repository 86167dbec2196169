import type { ApiObject, ObjectEvent, ResourceType, WatchOptions } from '@pergola/client'
import { onScopeDispose, toValue, watch, type MaybeRefOrGetter } from 'vue'
import { clientFor } from './client.ts'
import { isRefusal } from './is-refusal.ts'
import { useLiveLink } from './live-state.ts'

/** What to watch; undefined until it is known. */
export interface Followed<Stored extends ApiObject> extends WatchOptions {
  readonly type: ResourceType<Stored>
}

/** Pause before restarting a watch that ended without a refusal, for example because its revision was purged. */
const againMs = 2_000

/** Reports changes while the component is mounted. `null`: changes may have been missed, so read the objects again. */
export function useWatch<Stored extends ApiObject>(
  followed: MaybeRefOrGetter<Followed<Stored> | undefined>,
  onChange: (event: ObjectEvent<Stored> | null) => void,
): void {
  const link = useLiveLink()
  const client = clientFor(link)
  let stop = new AbortController()
  const begin = async ({ type, revision, ...options }: Followed<Stored>, { signal }: AbortController) => {
    for (let from = revision; !signal.aborted; from = undefined) {
      try {
        for await (const event of client.resource(type).watch({ ...options, revision: from, signal })) {
          if (event.type === 'BOOKMARK') continue
          onChange(event.type === 'RESTARTED' ? null : event)
        }
      } catch (error) {
        if (signal.aborted) return
        const isRefused = isRefusal(error)
        if (isRefused) link.refused()
        else link.lost()
        onChange(null)
        if (isRefused) return
      }
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }
  watch(
    () => toValue(followed),
    (next) => {
      stop.abort()
      stop = new AbortController()
      if (next) void begin(next, stop)
    },
    { immediate: true },
  )
  onScopeDispose(() => stop.abort())
}
