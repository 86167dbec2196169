import { createPause } from '../base/pause.ts'
import type { Cursor, ListQuery, ModelKey, Store, StoredObject } from './store.ts'

const pageSize = 200

/** Iterates over all selected objects; holds at most one page of them in memory. */
export async function* allObjects(
  store: Pick<Store, 'list'>,
  model: ModelKey,
  where: ListQuery['where'] = [],
): AsyncGenerator<StoredObject> {
  const pause = createPause()
  for (let after: Cursor | undefined; ;) {
    const query = { where, limit: pageSize, total: 'none' as const, ...(after !== undefined && { after }) }
    const page = await store.list(model, query)
    for (const item of page.items) {
      await pause()
      yield item
    }
    after = page.next
    if (after === undefined) return
  }
}
