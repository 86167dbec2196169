import type { Store, StoredObject } from '../../store/store.ts'
import { indexedObject } from '../indexed-object.ts'
import { withStatus } from '../object.ts'
import type { Model } from '../model.ts'
import { fromData, toData } from '../object-bytes.ts'

/** Writes the host's status of an object as it was read; throws `WriteConflict` when the object has changed. */
export async function writeStatus(
  { store, model }: { readonly store: Store; readonly model: Model },
  stored: StoredObject,
  status: unknown,
): Promise<void> {
  const { name, uid, version, storedAs } = stored
  const object = withStatus(fromData(stored.data), status)
  const held = (object.metadata.finalizers ?? []).length > 0
  const content = { data: toData(object), storedAs, held, indexed: indexedObject(model, object).indexed }
  const expected = { uid, version }
  await store.write([{ type: 'update', model, name, expected, content, newGeneration: false }])
}
