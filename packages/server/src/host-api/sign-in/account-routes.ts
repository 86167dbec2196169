import type { HostRoute } from '../../call/host-route.ts'
import { loginPageRoutes, type LoginPageParts } from './login-page.ts'
import { passwordRoutes, type PasswordEndpointParts } from './password-endpoint.ts'
import { sessionRoutes } from './sessions-endpoint.ts'
import { setupRoutes, type SetupParts } from './setup.ts'

/** The routes under `/auth/`, except OpenID Connect. */
export function accountRoutes(parts: LoginPageParts & PasswordEndpointParts & SetupParts): readonly HostRoute[] {
  return [...sessionRoutes(parts), ...loginPageRoutes(parts), ...passwordRoutes(parts), ...setupRoutes(parts)]
}
