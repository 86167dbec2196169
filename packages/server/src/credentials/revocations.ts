import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { uuidv7 } from '../base/uuid.ts'
import { keyOf } from '../store/model-table.ts'
import type { Change, CreateOperation, ModelKey, Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'

/** Records whose credentials were revoked. Not served to clients: the change log carries it to every replica. */
const model: ModelKey = { group: '', plural: 'revocations' }
/** Revocations removed per run; the next run is a minute later. */
const most = 1_000

export function openRevocations(store: Store): Promise<void> {
  return store.openModel({ ...model, indexes: [] })
}

/** Part of the write that revokes credentials of a user: replicas evict that user's credentials from their caches. */
export function revoked(clock: Clock, user: string): CreateOperation {
  const indexed = { labels: {}, single: {}, multi: {} }
  const data = Buffer.from(JSON.stringify({ user }))
  const content = { data, storedAs: 'v1', held: false, indexed }
  return { type: 'create', model, name: randomUUID(), uid: uuidv7(clock.now()), content }
}

/** The uid of the user whose credentials the change revokes, if any. */
export function revokedBy(change: Change): string | undefined {
  if (change.op !== 'added' || keyOf(change.model) !== keyOf(model)) return undefined
  return (JSON.parse(change.object.data.toString()) as { readonly user: string }).user
}

/** Removes revocations that every replica has long seen. */
export async function forgetRevocations(store: Store, before: number): Promise<void> {
  const sort = [{ field: 'metadata.creationTimestamp', descending: false }]
  const { items } = await store.list(model, { sort, limit: most, total: 'none' })
  const old = items.filter(({ createdAt }) => createdAt < before)
  if (old.length === 0) return
  const operations = old.map(({ name, uid }) => ({ type: 'delete' as const, model, name, expected: { uid } }))
  try {
    await store.write(operations)
  } catch (error) {
    // Another replica is removing them.
    if (!(error instanceof WriteConflict)) throw error
  }
}
