import type { ReadChangesOptions } from './store.ts'

/** Whether there may be more behind these changes than was asked for at a time. */
export function isFullBatch(
  changes: readonly { readonly data: { readonly length: number } }[],
  { limit, maxBytes = Number.POSITIVE_INFINITY }: Pick<ReadChangesOptions, 'limit' | 'maxBytes'>,
): boolean {
  if (changes.length >= limit) return true
  return changes.reduce((sum, { data }) => sum + data.length, 0) >= maxBytes
}
