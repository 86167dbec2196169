import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { uuidv7 } from '../base/uuid.ts'
import { keyOf } from '../store/model-table.ts'
import type { Change, CreateOperation, ModelKey, Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'

/** Says whose credentials have been taken back. Nobody is served it: it is there for the change log, which tells every replica. */
const model: ModelKey = { group: '', plural: 'revocations' }
/** Removed at a time; the next ones a minute later. */
const most = 1_000

export function openRevocations(store: Store): Promise<void> {
  return store.openModel({ ...model, indexes: [] })
}

/** Goes with the write that takes something of a user back: what replicas know of its credentials no longer holds. */
export function revoked(clock: Clock, user: string): CreateOperation {
  const indexed = { labels: {}, single: {}, multi: {} }
  const data = Buffer.from(JSON.stringify({ user }))
  const content = { data, storedAs: 'v1', held: false, indexed }
  return { type: 'create', model, name: randomUUID(), uid: uuidv7(clock.now()), content }
}

/** The uid of the user that the change is about, if it takes something back. */
export function revokedBy(change: Change): string | undefined {
  if (change.op !== 'added' || keyOf(change.model) !== keyOf(model)) return undefined
  return (JSON.parse(change.object.data.toString()) as { readonly user: string }).user
}

/** Removes those that every replica has long seen. */
export async function forgetRevocations(store: Store, before: number): Promise<void> {
  const sort = [{ field: 'metadata.creationTimestamp', descending: false }]
  const { items } = await store.list(model, { sort, limit: most, total: 'none' })
  const old = items.filter(({ createdAt }) => createdAt < before)
  if (old.length === 0) return
  const operations = old.map(({ name, uid }) => ({ type: 'delete' as const, model, name, expected: { uid } }))
  try {
    await store.write(operations)
  } catch (error) {
    // Another replica is at it.
    if (!(error instanceof WriteConflict)) throw error
  }
}
