import { keyOf } from './model-table.ts'
import type { WriteOperation } from './store.ts'

/** What a batch does together: one kind of operation on one model. */
export function kindOf({ model, type }: WriteOperation): string {
  return `${keyOf(model)}/${type}`
}

/** By model, kind and name: whatever order callers choose, locks are taken in this one, and a batch means the same on every engine. */
export function compareOperations(a: WriteOperation, b: WriteOperation): number {
  return compare(kindOf(a), kindOf(b)) || compare(a.name, b.name)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
