import type { JsonObject } from '../models/object.ts'
import { fromData } from '../models/object-bytes.ts'
import type { StoredObject } from '../store/store.ts'

/** A disabled user cannot sign in and holds no rights. */
export function isDisabled(user: JsonObject): boolean {
  const spec = user['spec'] as { readonly disabled?: boolean } | undefined
  return spec?.disabled === true
}

/** False for a user that is disabled or declared deleted. */
export function canSignIn({ data, deletedAt }: StoredObject): boolean {
  return deletedAt === undefined && !isDisabled(fromData(data))
}
