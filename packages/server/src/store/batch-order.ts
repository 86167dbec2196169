import { keyOf } from './model-table.ts'
import type { WriteOperation } from './store.ts'

/** Groups operations that one statement can do: one type of operation on one model. */
export function kindOf(operation: WriteOperation): string {
  const kept = operation.type === 'update' && operation.content.indexed === 'kept'
  return `${keyOf(operation.model)}/${operation.type}${kept ? ' kept' : ''}`
}

/**
 * The order of writes without `inOrder`: by model and name, whatever the type. All batches then take row locks in the same order
 * and cannot deadlock, and a batch has the same result on every engine.
 */
export function compareOperations(a: WriteOperation, b: WriteOperation): number {
  return compare(keyOf(a.model), keyOf(b.model)) || compare(a.name, b.name)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
