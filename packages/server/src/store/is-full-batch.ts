import type { ReadChangesOptions } from './store.ts'

/** Whether the batch reached a limit, so that more changes may follow. */
export function isFullBatch(
  changes: readonly { readonly data: { readonly length: number } }[],
  { limit, maxBytes = Number.POSITIVE_INFINITY }: Pick<ReadChangesOptions, 'limit' | 'maxBytes'>,
): boolean {
  if (changes.length >= limit) return true
  return changes.reduce((sum, { data }) => sum + data.length, 0) >= maxBytes
}
