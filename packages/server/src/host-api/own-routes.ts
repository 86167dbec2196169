import type { HostRoute } from '../call/host-route.ts'
import { accessReviewRoutes } from './access-reviews.ts'
import { profileRoutes, type OwnProfileParts } from './own-profile.ts'
import { permissionRoutes } from './permissions.ts'
import { tokenRoutes, type TokensApiParts } from './personal-access-tokens.ts'
import { userIdentityRoutes, type UserIdentitiesParts } from './user-identities.ts'
import { userPasswordRoutes, type UserPasswordParts } from './user-password.ts'
import { userSessionRoutes, type UserSessionsParts } from './user-sessions.ts'
import { whoCanRoutes, type WhoCanParts } from './who-can.ts'

export type HostRouteParts = WhoCanParts &
  OwnProfileParts &
  TokensApiParts &
  UserPasswordParts &
  UserIdentitiesParts &
  UserSessionsParts

/** The routes that the host adds below resource paths. */
export function hostRoutesOf(parts: HostRouteParts): readonly HostRoute[] {
  const { rights } = parts
  return [
    ...profileRoutes(parts),
    ...permissionRoutes(rights),
    ...accessReviewRoutes(rights),
    ...whoCanRoutes(parts),
    ...tokenRoutes(parts),
    ...userPasswordRoutes(parts),
    ...userIdentityRoutes(parts),
    ...userSessionRoutes(parts),
  ]
}
