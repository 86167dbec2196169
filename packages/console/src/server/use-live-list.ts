import type { ApiObject, ListOptions, ModelTypes, ResourceType, Served } from '@pergola/client'
import { onScopeDispose, readonly, shallowReadonly, shallowRef, type ShallowRef } from 'vue'
import { clientFor } from './client.ts'
import { isRefusal } from './is-refusal.ts'
import { useLiveLink } from './live-state.ts'

export interface LiveList<Stored extends ApiObject> {
  readonly items: Readonly<ShallowRef<readonly Stored[]>>
  readonly isReady: Readonly<ShallowRef<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
}

/** The selected objects, kept current while the page is open. Holds all of them in memory. */
export function useLiveList<Types extends ModelTypes>(
  of: Served<Types>,
  options?: ListOptions<Types['fields']>,
): LiveList<Types['object']>
/** The same for a model with unknown fields: all of its objects. */
export function useLiveList<Stored extends ApiObject>(type: ResourceType<Stored>): LiveList<Stored>
export function useLiveList(of: ResourceType & { readonly singular?: string }, options?: object): LiveList<ApiObject> {
  const items = shallowRef<readonly ApiObject[]>([])
  const isReady = shallowRef(false)
  const error = shallowRef<unknown>()
  const link = useLiveLink()
  const live = clientFor(link)
    .collection({ singular: of.plural, ...of })
    .live(options)
  live.subscribe((now) => {
    items.value = now
    isReady.value = true
  })
  const end = (reason: unknown) => {
    error.value = reason
    if (isRefusal(reason)) link.refused()
    else link.lost()
  }
  void live.ended.then(end)
  onScopeDispose(() => live.close())
  return { items: shallowReadonly(items), isReady: readonly(isReady), error: shallowReadonly(error) }
}
