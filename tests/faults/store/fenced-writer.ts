import { uuidv7 } from '../../../packages/server/src/base/uuid.ts'
import type { Lease, ModelDeclaration, Store, WriteOperation } from '../../../packages/server/src/store/store.ts'
import { WriteConflict } from '../../../packages/server/src/store/write-conflict.ts'

export const fencedModel: ModelDeclaration = { group: 'example.com', plural: 'ledgers', indexes: [] }

/** Each call updates the object that all holders share and creates one of its own, both signed, in one batch. */
export async function fencedWriter(store: Store, fence: Lease, name: string): Promise<() => Promise<void>> {
  await store.openModel(fencedModel)
  let written = 0
  let shared = await store.get(fencedModel, 'shared')
  const create = (object: string): WriteOperation => ({
    type: 'create',
    model: fencedModel,
    name: object,
    uid: uuidv7(Date.now()),
    content: contentOf(),
  })
  const contentOf = () => ({
    data: Buffer.from(JSON.stringify({ by: name, written })),
    storedAs: 'v1',
    held: false,
    indexed: { labels: {}, single: {}, multi: {} },
  })
  return async () => {
    written++
    const expected = shared && { uid: shared.uid, version: shared.version }
    const change: WriteOperation = expected
      ? { type: 'update', model: fencedModel, name: 'shared', expected, content: contentOf(), newGeneration: false }
      : create('shared')
    try {
      const [result] = await store.write([change, create(`${name}-${written}`)], { fence })
      shared = result?.object
    } catch (error) {
      // Only a holder that is still let in gets to hear of a conflict.
      if (error instanceof WriteConflict) shared = error.stored ?? (await store.get(fencedModel, 'shared'))
      throw error
    }
  }
}
