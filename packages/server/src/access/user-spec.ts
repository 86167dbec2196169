import type { JsonObject } from '../models/object.ts'
import { fromData } from '../models/object-bytes.ts'
import type { StoredObject } from '../store/store.ts'

/** Who is disabled cannot sign in, and holds nothing. */
export function isDisabled(user: JsonObject): boolean {
  const spec = user['spec'] as { readonly disabled?: boolean } | undefined
  return spec?.disabled === true
}

/** Also not who waits to be removed. */
export function canSignIn({ data, deletedAt }: StoredObject): boolean {
  return deletedAt === undefined && !isDisabled(fromData(data))
}
