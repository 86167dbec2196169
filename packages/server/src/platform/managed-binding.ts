import { hash } from 'node:crypto'
import { ApiError } from '@pergola/api'
import type { OidcProvider } from '../base/oidc-provider.ts'
import type { JsonObject } from '../models/json-object.ts'
import type { ObjectChange } from '../models/model.ts'

/** Names that only the host gives to bindings. */
const prefix = 'oidc-'
const managedBy = 'rbac.authorization.platform.run/managed-by'
const issuerKey = 'rbac.authorization.platform.run/oidc-issuer'
const signedInKey = 'rbac.authorization.platform.run/oidc-signed-in-at'

export interface ManagedBinding {
  readonly issuer: string
  readonly user: { readonly uid: string; readonly name: string }
  readonly role: string
  readonly signedInAt: number
}

/** The same issuer, user and role have the same binding, so that a login finds what the one before left. */
function managedName({ issuer, user, role }: Omit<ManagedBinding, 'signedInAt'>): string {
  return prefix + hash('sha256', JSON.stringify([issuer, user.uid, role])).slice(0, 32)
}

/** A binding that says what an issuer gives to a user, and since when it does. */
export function managedBinding(managed: ManagedBinding): JsonObject & { readonly metadata: { readonly name: string } } {
  const { issuer, user, role, signedInAt } = managed
  return {
    metadata: {
      name: managedName(managed),
      labels: { [managedBy]: 'oidc' },
      annotations: { [issuerKey]: issuer, [signedInKey]: new Date(signedInAt).toISOString() },
    },
    roleRef: { apiGroup: '', kind: 'Role', name: role },
    subjects: [{ apiGroup: '', kind: 'User', name: user.name }],
  }
}

/** Also by somebody whom only a newer host knows. */
export function isManaged({ metadata: { labels = {}, annotations = {} } }: JsonObject): boolean {
  return managedBy in labels || issuerKey in annotations || signedInKey in annotations
}

export function issuerOf({ metadata }: JsonObject): string | undefined {
  return metadata.annotations?.[issuerKey]
}

/** Managed bindings follow their issuer. Whoever may delete bindings can delete them; nobody else writes them. */
export function refuseManaged({ name, before, after }: ObjectChange): void {
  if (!after) return
  if (before && isManaged(before)) {
    const detail = `rolebinding "${name}" follows what ${issuerOf(before)} says of its user at each login; change it there or in oidc.providers, or delete the binding`
    throw new ApiError('Forbidden', detail)
  }
  if (!isManaged(after) && (before || !name.startsWith(prefix))) return
  const detail = `names that begin with "${prefix}", and "${managedBy}", "${issuerKey}" and "${signedInKey}", are for bindings that the host manages; leave them out`
  throw new ApiError('Forbidden', detail)
}

export interface ManagedRules {
  readonly maxAgeMs: number
  readonly providers: readonly OidcProvider[]
}

/**
 * Until when a binding counts. One that is managed does so for a while after its user has come by the issuer, and only as
 * long as the configuration has the issuer give the role.
 */
export function createCountsUntil({ maxAgeMs, providers }: ManagedRules): (binding: JsonObject) => number {
  const given = new Map(providers.map(({ issuer, roles }) => [issuer, new Set([...roles.values()].flat())]))
  return (binding) => {
    if (!isManaged(binding)) return Number.POSITIVE_INFINITY
    const { name: role } = binding['roleRef'] as { readonly name: string }
    const signedInAt = Date.parse(binding.metadata.annotations?.[signedInKey] ?? '')
    const isGiven = given.get(issuerOf(binding) ?? '')?.has(role) === true
    return isGiven && !Number.isNaN(signedInAt) ? signedInAt + maxAgeMs : Number.NEGATIVE_INFINITY
  }
}
