import type { ResourceRequest } from '@pergola/api'
import type { Endpoint } from '../dispatch/endpoint.ts'
import { reviewAccess } from './access-reviews.ts'
import { deleteToken, listTokens, makeToken, type TokensApiParts } from './personal-access-tokens.ts'
import { changeOwnProfile, ownProfile, type OwnProfileParts } from './own-profile.ts'
import { ownPermissions } from './permissions.ts'
import {
  linkUserIdentity,
  listUserIdentities,
  unlinkUserIdentity,
  type UserIdentitiesParts,
} from './user-identities.ts'
import { setUserPassword, type UserPasswordParts } from './user-password.ts'
import { whoCan, type WhoCanParts } from './who-can.ts'

export type OwnApiParts = WhoCanParts & OwnProfileParts & TokensApiParts & UserPasswordParts & UserIdentitiesParts

/** What the host itself adds to the paths of resources. */
export function createOwnApi(parts: OwnApiParts): (request: ResourceRequest) => Endpoint | undefined {
  const { rights } = parts
  // A map: the path is the caller's, and an object would also answer to `constructor`.
  const api = new Map<string, Endpoint>([
    ['users -', { get: (call) => ownProfile(parts, call), patch: (call) => changeOwnProfile(parts, call) }],
    ['users/permissions -', { get: (call) => ownPermissions(rights, call) }],
    ['accessreviews', { create: (call) => reviewAccess(rights, call) }],
    ['whocan', { create: (call) => whoCan(parts, call) }],
  ])
  const tokens: Endpoint = { create: (call) => makeToken(parts, call), list: (call) => listTokens(parts, call) }
  return ({ group, version, resource, subresource, name }) => {
    if (version !== 'v1alpha1') return undefined
    if (group === '' && resource === 'users' && name !== undefined) return ofUser(parts, name, subresource)
    if (group === 'uc.api.platform.run' && resource === 'personalaccesstokens' && subresource === undefined) {
      return name === undefined ? tokens : { delete: (call) => deleteToken(parts, call, name) }
    }
    if (group !== 'api.platform.run') return undefined
    const path = subresource === undefined ? resource : `${resource}/${subresource}`
    return api.get(name === undefined ? path : `${path} ${name}`)
  }
}

function ofUser(parts: OwnApiParts, name: string, subresource: string | undefined): Endpoint | undefined {
  if (subresource === 'password') return { update: (call) => setUserPassword(parts, call, name) }
  if (subresource !== 'oidcidentities') return undefined
  return {
    get: () => listUserIdentities(parts, name),
    create: (call) => linkUserIdentity(parts, call, name),
    delete: (call) => unlinkUserIdentity(parts, call, name),
  }
}
