import type { Endpoint } from '../dispatch/endpoint.ts'
import { changePassword, type PasswordEndpointParts } from './password-endpoint.ts'
import { setUp, whereToBegin, type SetupParts } from './setup.ts'
import { ownSessions, signIn, signOut, type SessionsEndpointParts } from './sessions-endpoint.ts'

/** What is under `/auth/`. */
export function createAccountEndpoints(
  parts: SessionsEndpointParts & PasswordEndpointParts & SetupParts,
): (path: string) => Endpoint | undefined {
  const sessions: Endpoint = { create: (call) => signIn(parts, call), get: (call) => ownSessions(parts, call) }
  const setup: Endpoint = { get: (call) => whereToBegin(parts, call), create: (call) => setUp(parts, call) }
  const password: Endpoint = { update: (call) => changePassword(parts, call) }
  return (path) => {
    if (path === '/auth/sessions') return sessions
    if (path === '/auth/password') return password
    if (path === '/auth/setup') return setup
    const [, id] = /^\/auth\/sessions\/([^/]+)$/.exec(path) ?? []
    return id === undefined ? undefined : { delete: (call) => signOut(parts, call, id) }
  }
}
