import { uuidv7 } from '../../../packages/server/src/base/uuid.ts'
import type { Lease, ModelDeclaration, Store } from '../../../packages/server/src/store/store.ts'

export const fencedModel: ModelDeclaration = { group: 'example.com', plural: 'ledgers', indexes: [] }

/** Each call creates a unique object, so that only the fence can reject it. */
export function fencedWriter(store: Store, fence: Lease, holder: string): () => Promise<void> {
  let written = 0
  return async () => {
    const name = `${holder}-${written++}`
    const content = {
      data: Buffer.from(holder),
      storedAs: 'v1',
      held: false,
      indexed: { labels: {}, single: {}, multi: {} },
    }
    await store.write([{ type: 'create', model: fencedModel, name, uid: uuidv7(Date.now()), content }], { fence })
  }
}
