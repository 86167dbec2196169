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

type Claims = Readonly<Record<string, unknown>>

/** The roles that the operator maps to the claim values, without duplicates. Unmapped values give no role. */
export function mappedRoles(provider: Pick<OidcProvider, 'rolesClaim' | 'roles'>, claims: Claims): readonly string[] {
  const given = valuesIn(provider, claims).flatMap((value) => provider.roles.get(value) ?? [])
  return [...new Set(given)].toSorted()
}

/** Whether the user is in a required group, or none is required. */
export function isInRequiredGroup(
  provider: Pick<OidcProvider, 'rolesClaim' | 'requiredGroups'>,
  claims: Claims,
): boolean {
  const { requiredGroups } = provider
  return !requiredGroups || valuesIn(provider, claims).some((value) => requiredGroups.has(value))
}

function valuesIn({ rolesClaim }: Pick<OidcProvider, 'rolesClaim'>, claims: Claims): readonly string[] {
  if (rolesClaim === undefined) return []
  const claim = rolesClaim.startsWith('/') ? valueAt(claims, rolesClaim) : claims[rolesClaim]
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return values.slice(0, mostValues).filter((value) => typeof value === 'string')
}
