import type { OidcProvider } from '../../config/oidc-provider.ts'
import { valueAt } from '../../call/field-error.ts'

/** The roles that no login gives, because they do not exist. */
export function missingRoles(
  providers: readonly Pick<OidcProvider, 'roles'>[],
  hasRole: (name: string) => boolean,
): readonly string[] {
  const mapped = providers.flatMap(({ roles }) => [...roles.values()].flat())
  return [...new Set(mapped)].filter((name) => !hasRole(name)).toSorted()
}

/** Maximum number of claim values that are read. */
const mostValues = 1_000

/** The roles that the operator maps to the claim values, without duplicates. Unmapped values give no role. */
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
