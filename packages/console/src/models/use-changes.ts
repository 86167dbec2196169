import { computed, type ComputedRef, type Ref } from 'vue'
import { differences, type Difference } from './merge.ts'
import type { AnyObject } from './use-object.ts'
import { ownFields } from './use-saving.ts'

interface Edited {
  readonly read: Readonly<Ref<AnyObject | undefined>>
  readonly draft: Readonly<Ref<AnyObject | undefined>>
}

/** The unsaved changes of a draft. */
export function useChanges({ read, draft }: Edited, hasOwnStatus: () => boolean): ComputedRef<readonly Difference[]> {
  return computed(() => {
    if (!read.value || !draft.value) return []
    const before = ownFields(read.value, hasOwnStatus())
    return differences({ read: before, yours: ownFields(draft.value, hasOwnStatus()), theirs: before })
  })
}
