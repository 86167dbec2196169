import type { ApiObject, Live, ResourceType } from '@pergola/client'
import { onScopeDispose, readonly, shallowReadonly, shallowRef, type ShallowRef } from 'vue'
import { client } from './client.ts'

export interface LiveList<Stored extends ApiObject> {
  readonly items: Readonly<ShallowRef<readonly Stored[]>>
  readonly isReady: Readonly<ShallowRef<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
}

/** All objects of a small model, kept current for as long as the page is open. */
export function useLiveList<Stored extends ApiObject>(type: ResourceType<Stored>): LiveList<Stored> {
  const items = shallowRef<readonly Stored[]>([])
  const isReady = shallowRef(false)
  const error = shallowRef<unknown>()
  const live: Live<Stored> = client
    .collection<{ object: Stored; create: unknown; status: unknown; fields: object }>({
      ...type,
      singular: type.plural,
    })
    .live()
  live.subscribe((now) => {
    items.value = now
    isReady.value = true
  })
  void live.ended.then((reason) => (error.value = reason))
  onScopeDispose(() => live.close())
  return { items: shallowReadonly(items), isReady: readonly(isReady), error: shallowReadonly(error) }
}
