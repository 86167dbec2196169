import { isFullBatch } from '../store/is-full-batch.ts'
import type { ReadChangesOptions, Store } from '../store/store.ts'
import { logBatch, type HandingOut } from './handing-out.ts'

/** Reads the log once and hands the changes out. */
export async function readOn(
  store: Store,
  handing: HandingOut,
  options: Pick<ReadChangesOptions, 'waitMs' | 'signal'>,
): Promise<void> {
  const began = performance.now()
  const {
    changes,
    revision,
    provenAt = performance.now(),
  } = await store.readChanges(handing.revision, { ...logBatch, ...options })
  if (options.signal?.aborted) return
  await handing.handOut(changes, revision)
  if (changes.length === 0) return handing.provenAt(provenAt)
  // Nothing committed before the read is missing, unless the batch was full.
  const objects = changes.map(({ object }) => object)
  if (!isFullBatch(objects, logBatch)) handing.provenAt(began)
}
