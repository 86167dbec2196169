import type { OidcProvider } from '../../base/oidc-provider.ts'
import { valueAt } from '../../base/field-error.ts'

/** Values of a claim that are looked at. */
const mostValues = 1_000

/** The roles that the operator gives for what the provider says, each once; a value that is not mapped gives none. */
export function mappedRoles(
  { rolesClaim, roles }: Pick<OidcProvider, 'rolesClaim' | 'roles'>,
  claims: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (rolesClaim === undefined) return []
  const claim = rolesClaim.startsWith('/') ? valueAt(claims, rolesClaim) : claims[rolesClaim]
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  const given = values
    .slice(0, mostValues)
    .flatMap((value) => (typeof value === 'string' ? (roles.get(value) ?? []) : []))
  return [...new Set(given)].toSorted()
}
