import { isApiError, type FieldError, type ResourceType } from '@pergola/client'
import { computed, ref, shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { tellDone } from '../kit/tell.ts'
import { client } from '../server/client.ts'
import { noteFailure } from '../server/connection.ts'
import { endSession } from '../session/session.ts'
import { words } from '../words/words.ts'
import { withTitleOfHolder } from './duplicate.ts'
import type { ListedModel } from './listed-models.ts'
import { differences, withYours, type Difference } from './merge.ts'
import type { Schema } from './schema.ts'
import type { AnyObject, EditedObject } from './use-object.ts'

export interface Saving {
  readonly isBusy: Ref<boolean>
  readonly failure: ShallowRef<unknown>
  readonly errors: ComputedRef<readonly FieldError[]>
  /** Fields that both sides have changed; the user decides. */
  readonly conflicts: ShallowRef<readonly Difference[]>
  /** Fields that only one side has changed; merged without asking. */
  readonly merged: ShallowRef<readonly Difference[]>
  readonly isConflict: Ref<boolean>
  readonly save: () => Promise<boolean>
  readonly saveResult: (fromYours: readonly Difference[]) => Promise<boolean>
}

interface Of {
  readonly type: () => ResourceType
  readonly known: () => { readonly model: ListedModel | undefined; readonly schema: Schema | undefined }
  readonly object: EditedObject
}

/** Saves a draft. Merges concurrent changes and asks where both sides changed a field. */
export function useSaving({ type, known, object }: Of): Saving {
  const { read, draft, reset, reload } = object
  const hasOwnStatus = () => known().model?.statusSubresource !== false
  const isBusy = ref(false)
  const failure = shallowRef<unknown>()
  const conflicts = shallowRef<readonly Difference[]>([])
  const merged = shallowRef<readonly Difference[]>([])
  const compared = shallowRef<AnyObject>()
  const isConflict = ref(false)

  const save = async (): Promise<boolean> => {
    if (!draft.value) return false
    isBusy.value = true
    failure.value = undefined
    try {
      reset((await client.resource(type()).update(draft.value)) as AnyObject)
      tellDone(words.value.object.saved)
      return true
    } catch (reason) {
      if (isApiError(reason) && reason.reason === 'VersionConflict') return await compare()
      if (isApiError(reason) && reason.reason === 'Unauthenticated') endSession()
      else failure.value = await withTitleOfHolder(reason, { type: type(), ...known() })
      noteFailure(reason)
      return false
    } finally {
      isBusy.value = false
    }
  }
  const compare = async (): Promise<boolean> => {
    try {
      const theirs = await reload()
      compared.value = theirs
      if (!read.value || !draft.value) return false
      const all = differences({
        read: ownFields(read.value, hasOwnStatus()),
        yours: ownFields(draft.value, hasOwnStatus()),
        theirs: ownFields(theirs, hasOwnStatus()),
      })
      conflicts.value = all.filter(({ changedBy }) => changedBy === 'both')
      merged.value = all.filter(({ changedBy }) => changedBy !== 'both')
      if (conflicts.value.length === 0) return await saveResult([])
      isConflict.value = true
    } catch (unread) {
      failure.value = unread
    }
    return false
  }
  /** Saves the merge on top of the compared version. If that has changed again, asks again. */
  const saveResult = async (fromYours: readonly Difference[]): Promise<boolean> => {
    isConflict.value = false
    const yours = [...merged.value.filter(({ changedBy }) => changedBy === 'you'), ...fromYours]
    if (yours.length === 0) {
      reset()
      return true
    }
    read.value = compared.value
    draft.value = withYours(compared.value, yours) as AnyObject
    return save()
  }
  return {
    isBusy,
    failure,
    errors: computed(() => (isApiError(failure.value) ? (failure.value.errors ?? []) : [])),
    conflicts,
    merged,
    isConflict,
    save,
    saveResult,
  }
}

/** The fields that an update changes: without server-managed metadata, and without a status that has its own endpoint. */
export function ownFields({ metadata, status, ...fields }: AnyObject, hasOwnStatus: boolean): Record<string, unknown> {
  const { labels = {}, annotations = {}, finalizers: held = [] } = metadata
  const own = !hasOwnStatus && status !== undefined ? { status } : {}
  return { ...fields, ...own, metadata: { labels, annotations, finalizers: held } }
}
