import type { ApiObject, ModelTypes, ResourceType, Served } from '@pergola/client'
import { computed, toValue, type MaybeRefOrGetter, type Ref } from 'vue'
import { useObject } from '../models/use-object.ts'

export interface LiveObject<Stored extends ApiObject> {
  readonly object: Readonly<Ref<Stored | undefined>>
  /** It has been deleted since. */
  readonly isGone: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
}

/** One object, kept current while the page is open. */
export function useLiveObject<Types extends ModelTypes>(
  of: Served<Types>,
  name: MaybeRefOrGetter<string>,
): LiveObject<Types['object']> {
  const { group, version, plural }: ResourceType = of
  const { stored, isGone, error } = useObject(
    () => ({ group, version, plural, name: toValue(name) }),
    () => false,
  )
  return { object: computed(() => stored.value as Types['object'] | undefined), isGone, error }
}
