import { useQuery } from '@tanstack/vue-query'
import { isApiError, type ApiObject } from '@pergola/client'
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { client } from '../server/client.ts'
import { useWatch } from '../server/use-watch.ts'
import { isSame } from './same.ts'

export type AnyObject = ApiObject & Readonly<Record<string, unknown>>

export interface EditedObject {
  /** The object on the server. */
  readonly stored: ShallowRef<AnyObject | undefined>
  /** The object when editing began: the base of the draft. */
  readonly read: ShallowRef<AnyObject | undefined>
  readonly draft: ShallowRef<AnyObject | undefined>
  readonly isEdited: ComputedRef<boolean>
  /** Somebody else has changed the object since. */
  readonly isBehind: ComputedRef<boolean>
  readonly isGone: Ref<boolean>
  readonly error: ComputedRef<unknown>
  /** Discards the draft. */
  readonly reset: (to?: AnyObject) => void
  readonly reload: () => Promise<AnyObject>
}

interface Address {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly name: string
}

/** A live object and its draft. Text in the editor that cannot be parsed yet counts as an edit. */
export function useObject(address: () => Address, hasUnreadText: () => boolean): EditedObject {
  const stored = shallowRef<AnyObject>()
  const read = shallowRef<AnyObject>()
  const draft = shallowRef<AnyObject>()
  const isGone = ref(false)
  const isEdited = computed(() => draft.value !== undefined && (hasUnreadText() || !isSame(draft.value, read.value)))
  const type = computed(() => {
    const { group, version, plural } = address()
    return { group, version, plural }
  })
  const get = async (signal?: AbortSignal) =>
    (await client.resource(type.value).get(address().name, { signal })) as AnyObject
  const query = useQuery({
    queryKey: computed(() => ['object', type.value, address().name]),
    queryFn: async ({ signal }) => get(signal),
    staleTime: 0,
  })
  const reset = (to = stored.value) => {
    stored.value = to
    read.value = to
    draft.value = to
  }
  const take = (now: AnyObject) => {
    isGone.value = false
    if (
      stored.value &&
      stored.value.metadata.uid === now.metadata.uid &&
      now.metadata.version < stored.value.metadata.version
    )
      return
    stored.value = now
    if (!isEdited.value) reset(now)
  }
  watch(query.data, (now) => now && take(now), { immediate: true })
  useWatch(
    () => (query.data.value === undefined ? undefined : { type: type.value, name: address().name, initial: true }),
    (event) => {
      if (event === null) void query.refetch()
      else if (event.type === 'DELETED') isGone.value = true
      else take(event.object as AnyObject)
    },
  )
  return {
    stored,
    read,
    draft,
    isEdited,
    isBehind: computed(() => isEdited.value && stored.value?.metadata.version !== read.value?.metadata.version),
    isGone,
    error: computed(() => {
      const { value } = query.error
      return isApiError(value) && stored.value ? undefined : (value ?? undefined)
    }),
    reset,
    reload: async () => {
      const now = await get()
      stored.value = now
      return now
    },
  }
}
