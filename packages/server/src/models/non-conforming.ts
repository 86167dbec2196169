import type { StoredObject } from '../store/store.ts'
import type { Validate } from '../validation/schema-validator.ts'
import type { Model } from './model.ts'
import { fromData } from './object-bytes.ts'

/** Those that would not be taken today, though they stay as they are. */
export async function nonConforming(
  { rules }: Pick<Model, 'rules'>,
  validate: Validate,
  items: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  // What is sealed cannot be looked at.
  if (rules.sealing) return []
  const found: StoredObject[] = []
  for (const stored of items) if ((await validate(fromData(stored.data))).length > 0) found.push(stored)
  return found
}
