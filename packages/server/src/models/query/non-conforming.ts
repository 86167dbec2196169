import type { StoredObject } from '../../store/store.ts'
import type { Validate } from '../../validation/schema-validator.ts'
import type { Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'

/** Stored objects that violate the current schema; they stay unchanged. */
export async function nonConforming(
  { rules }: Pick<Model, 'rules'>,
  validate: Validate,
  items: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  // Sealed values cannot be validated.
  if (rules.sealing) return []
  const found: StoredObject[] = []
  for (const stored of items) if ((await validate(fromData(stored.data))).length > 0) found.push(stored)
  return found
}
