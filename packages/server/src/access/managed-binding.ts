import { hash } from 'node:crypto'
import { ApiError } from '@pergola/api'
import type { OidcProvider } from '../config/oidc-provider.ts'
import type { JsonObject } from '../models/object.ts'
import type { ObjectChange } from '../models/model.ts'

/** Prefix of binding names that only the host may use. */
const prefix = 'oidc-'
const managedBy = 'rbac.authorization.platform.run/managed-by'
const issuerKey = 'rbac.authorization.platform.run/oidc-issuer'

export interface ManagedBinding {
  readonly issuer: string
  readonly user: { readonly uid: string; readonly name: string }
  readonly role: string
}

/** Deterministic for issuer, user and role, so that a login finds the binding of an earlier login. */
function managedName({ issuer, user, role }: ManagedBinding): string {
  return prefix + hash('sha256', JSON.stringify([issuer, user.uid, role])).slice(0, 32)
}

/**
 * A binding for a role that an issuer gives to a user. The time of the last login is stored with the identity, so that a login
 * need not write the binding.
 */
export function managedBinding(managed: ManagedBinding): JsonObject & { readonly metadata: { readonly name: string } } {
  const { issuer, user, role } = managed
  return {
    metadata: {
      name: managedName(managed),
      labels: { [managedBy]: 'oidc' },
      annotations: { [issuerKey]: issuer },
    },
    roleRef: { apiGroup: '', kind: 'Role', name: role },
    subjects: [{ apiGroup: '', kind: 'User', name: user.name }],
  }
}

/** Also true for managers that only a newer host knows. */
export function isManaged({ metadata: { labels = {}, annotations = {} } }: JsonObject): boolean {
  return managedBy in labels || issuerKey in annotations
}

export function issuerOf({ metadata }: JsonObject): string | undefined {
  return metadata.annotations?.[issuerKey]
}

/**
 * Managed bindings follow their issuer. Callers who may delete bindings can delete them; only the host creates or changes them.
 */
export function refuseManaged({ name, before, after }: ObjectChange): void {
  if (!after) return
  if (before && isManaged(before)) {
    const detail = `rolebinding "${name}" is managed by ${issuerOf(before)}, which sets the roles of the user at each login; change them there or in oidc.providers, or delete the binding`
    throw new ApiError('Forbidden', detail)
  }
  if (!isManaged(after) && (before || !name.startsWith(prefix))) return
  const detail = `names that begin with "${prefix}", and the keys "${managedBy}" and "${issuerKey}", are reserved for bindings that the host manages; remove them`
  throw new ApiError('Forbidden', detail)
}

export interface ManagedRules {
  readonly maxAgeMs: number
  readonly providers: readonly OidcProvider[]
}

/** `signedInAt`: when the user last signed in by the issuer. */
export type CountsUntil = (binding: JsonObject, signedInAt: number | undefined) => number

/**
 * When a binding stops counting. A managed binding counts for `maxAgeMs` after its user signed in by the issuer, and only while
 * the configuration lets the issuer give the role.
 */
export function createCountsUntil({ maxAgeMs, providers }: ManagedRules): CountsUntil {
  const given = new Map(providers.map(({ issuer, roles }) => [issuer, new Set([...roles.values()].flat())]))
  return (binding, signedInAt) => {
    if (!isManaged(binding)) return Number.POSITIVE_INFINITY
    const { name: role } = binding['roleRef'] as { readonly name: string }
    const isGiven = given.get(issuerOf(binding) ?? '')?.has(role) === true
    return isGiven && signedInAt !== undefined ? signedInAt + maxAgeMs : Number.NEGATIVE_INFINITY
  }
}
