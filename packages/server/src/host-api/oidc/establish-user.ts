import { randomInt } from 'node:crypto'
import { ApiError, isApiError } from '@pergola/api'
import type { Log } from '../../base/log.ts'
import type { OidcProvider } from '../../config/oidc-provider.ts'
import type { Identities, LinkedIdentity } from '../../credentials/identities.ts'
import type { SessionUser } from '../../credentials/sessions.ts'
import { createOperation } from '../../models/verbs/create.ts'
import type { Model } from '../../models/model.ts'
import { afterOthers } from '../../access/access-order.ts'
import { replaceManagedRoles, type ManagedRolesParts } from '../../access/managed-roles.ts'
import { neverUsed } from '../../access/user-model.ts'
import { canSignIn } from '../../access/user-spec.ts'
import { GuardFailed } from '../../store/guard-failed.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { Guard, SqlStatement, WriteOperation } from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import { mappedRoles } from './mapped-roles.ts'
import type { ProvenLogin } from './oidc-client.ts'
import { cleanedName, isReservedName } from './user-name.ts'

/** Attempts before a lost race is reported to the caller. */
const maxTries = 20
/** Short enough for the index, whatever characters it has. */
const longestDisplayName = 120

export interface EstablishParts extends ManagedRolesParts {
  readonly users: Model
  readonly identities: Identities
  readonly log: Log
}

/** A user, and the writes that create or update it. */
interface Established {
  readonly user: SessionUser
  readonly operations: readonly WriteOperation[]
  readonly guards: readonly Guard[]
  readonly also: readonly SqlStatement[]
}

/**
 * The user with this identity; creates one at the first login. The roles that the issuer gives are replaced in the same
 * transaction.
 */
export async function establishUser(
  parts: EstablishParts,
  provider: OidcProvider,
  proven: ProvenLogin,
): Promise<SessionUser> {
  const { store, clock, identities } = parts
  const establishOnce = async () => {
    const linked = await identities.find(proven)
    const { user, ...written } = linked ? await returning(parts, linked) : await newcomer(parts, proven)
    const roles = await existingRoles(parts, provider, mappedRoles(provider, proven.claims))
    const given = await replaceManagedRoles(parts, { issuer: proven.issuer, user, roles })
    await store.write([...written.operations, ...given.operations], {
      guards: [...(given.operations.length > 0 ? [afterOthers] : []), ...written.guards, ...given.guards],
      also: [...written.also, identities.signedIn(proven, roles, clock.now())],
    })
    return user
  }
  try {
    return await retryRaces(establishOnce, isLost)
  } catch (error) {
    if (!isLost(error)) throw error
    throw new ApiError('VersionConflict', 'the user keeps changing; start again', { cause: error })
  }
}

function isLost(error: unknown): boolean {
  return error instanceof GuardFailed || error instanceof WriteConflict
}

/** Guards that the user stays linked and unchanged, so that a concurrent unlink or disable is detected. */
async function returning(parts: EstablishParts, linked: LinkedIdentity): Promise<Established> {
  const { store, users, identities } = parts
  const { uid, name } = linked
  const user = await store.get(users, name)
  if (!user || user.uid !== uid || !canSignIn(user)) {
    throw new ApiError('Forbidden', `user "${name}" is disabled; ask an administrator`)
  }
  const guards: Guard[] = [
    { is: 'there', model: users, name, expected: { uid, version: user.version } },
    { is: 'no row', statement: identities.isNotLinkedTo(linked, uid) },
  ]
  return { user: { uid, name }, operations: [], guards, also: [] }
}

async function newcomer(parts: EstablishParts, proven: ProvenLogin): Promise<Established> {
  const { identities, users } = parts
  const { name, guard } = await freeName(parts, cleanedName(proven.claims['preferred_username']))
  const displayName = displayNameIn(proven.claims)
  const spec = { disabled: false, ...(displayName !== '' && { displayName }) }
  const operation = await createOperation(parts, users, { metadata: { name }, spec })
  const user = { uid: operation.uid, name }
  return {
    user,
    operations: [operation],
    guards: [guard, { is: 'no row', statement: identities.isNotLinkedTo(proven, user.uid) }],
    also: [identities.linked(proven, user)],
  }
}

/** The name itself, or with a suffix when another user has or had it. */
async function freeName(
  parts: EstablishParts,
  base: string,
): Promise<{ readonly name: string; readonly guard: Guard }> {
  for (let tries = 1; tries <= maxTries; tries++) {
    const name = tries === 1 ? base : `${base}-${suffix()}`
    if (isReservedName(name) || (await parts.store.get(parts.users, name))) continue
    try {
      return { name, guard: await neverUsed(parts, name) }
    } catch (error) {
      if (!isApiError(error) || error.reason !== 'AlreadyExists') throw error
    }
  }
  throw new ApiError('VersionConflict', `no name like "${base}" is available; start again`)
}

function suffix(): string {
  return randomInt(36 ** 5)
    .toString(36)
    .padStart(5, '0')
}

/** For display only; no decision depends on it. */
function displayNameIn({ name }: ProvenLogin['claims']): string {
  if (typeof name !== 'string') return ''
  return name.replaceAll(/\p{C}/gu, '').slice(0, longestDisplayName).toWellFormed().trim()
}

/** Leaves out roles that do not exist. */
async function existingRoles(
  { store, roles, log }: EstablishParts,
  { name: provider }: OidcProvider,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const role of wanted) {
    if (await store.get(roles, role)) found.push(role)
    else log.warn({ provider, role }, 'oidc.providers grants a role that does not exist; ignored')
  }
  return found
}
