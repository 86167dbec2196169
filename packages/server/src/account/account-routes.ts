import type { HostRoute } from '../base/host-route.ts'
import { passwordRoutes, type PasswordEndpointParts } from './password-endpoint.ts'
import { sessionRoutes, type SessionsEndpointParts } from './sessions-endpoint.ts'
import { setupRoutes, type SetupParts } from './setup.ts'

/** What is under `/auth/`, but for OpenID Connect. */
export function accountRoutes(parts: SessionsEndpointParts & PasswordEndpointParts & SetupParts): readonly HostRoute[] {
  return [...sessionRoutes(parts), ...passwordRoutes(parts), ...setupRoutes(parts)]
}
