import type { JsonObject } from '../models/json-object.ts'

/** Who is disabled cannot sign in, and holds nothing. */
export function isDisabled(user: JsonObject): boolean {
  const spec = user['spec'] as { readonly disabled?: boolean } | undefined
  return spec?.disabled === true
}
