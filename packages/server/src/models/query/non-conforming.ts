import type { Store, StoredObject } from '../../store/store.ts'
import type { Validate } from '../../validation/schema-validator.ts'
import type { Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'
import { dangling } from '../references.ts'

/** Stored objects that violate the current schema, or refer to nothing; they stay unchanged. */
export async function nonConforming(
  store: Pick<Store, 'getMany'>,
  model: Model,
  { validate, items }: { readonly validate: Validate; readonly items: readonly StoredObject[] },
): Promise<readonly StoredObject[]> {
  // Sealed values cannot be validated.
  if (model.rules.sealing) return []
  const referringToNothing = await dangling(store, model, items)
  const found: StoredObject[] = []
  for (const stored of items) {
    const isFound = referringToNothing.has(stored.name) || (await validate(fromData(stored.data))).length > 0
    if (isFound) found.push(stored)
  }
  return found
}
