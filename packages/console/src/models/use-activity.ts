import { shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { differences, type Difference } from './merge.ts'
import type { AnyObject } from './use-object.ts'

/** A change to an object while its page was open. */
export interface ActivityEntry {
  /** When the browser received it: RFC 3339. */
  readonly at: string
  readonly kind: 'changed' | 'created' | 'deleted'
  readonly version: number
  /** `yours` is the value after the change, `theirs` the one before. */
  readonly fields: readonly Difference[]
}

const mostEntries = 100

/** The changes of an object since its page was opened, newest first. */
export function useActivity(
  stored: Readonly<ShallowRef<AnyObject | undefined>>,
  isGone: Readonly<Ref<boolean>>,
): Readonly<ShallowRef<readonly ActivityEntry[]>> {
  const entries = shallowRef<readonly ActivityEntry[]>([])
  const add = (entry: Omit<ActivityEntry, 'at'>) => {
    entries.value = [{ at: new Date().toISOString(), ...entry }, ...entries.value].slice(0, mostEntries)
  }
  watch(stored, (now, before) => {
    if (!now || !before) return
    const { uid, version } = now.metadata
    if (uid !== before.metadata.uid) add({ kind: 'created', version, fields: [] })
    else if (version > before.metadata.version) add({ kind: 'changed', version, fields: changedFields(before, now) })
  })
  watch(isGone, (now) => {
    if (now && stored.value) add({ kind: 'deleted', version: stored.value.metadata.version, fields: [] })
  })
  return entries
}

function changedFields(before: AnyObject, after: AnyObject): readonly Difference[] {
  const was = withoutCounters(before)
  return differences({ read: was, yours: withoutCounters(after), theirs: was })
}

/** Version and generation change with every write and are not listed. */
function withoutCounters({ metadata, ...fields }: AnyObject): Record<string, unknown> {
  const { version: _, generation: __, ...others } = metadata
  return { ...fields, metadata: others }
}
