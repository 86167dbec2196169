import { keyOf } from './model-table.ts'
import type { WriteOperation } from './store.ts'

/** What can be done by one statement: one kind of operation on one model. */
export function kindOf(operation: WriteOperation): string {
  const kept = operation.type === 'update' && operation.content.indexed === 'kept'
  return `${keyOf(operation.model)}/${operation.type}${kept ? ' kept' : ''}`
}

/**
 * By model and name, whatever the kinds: all batches then take their row locks in one order and cannot wait for each
 * other in a circle, and a batch means the same on every engine.
 */
export function compareOperations(a: WriteOperation, b: WriteOperation): number {
  return compare(keyOf(a.model), keyOf(b.model)) || compare(a.name, b.name)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
