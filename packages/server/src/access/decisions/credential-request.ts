import type { RequestInfo } from '@pergola/api'

/**
 * Whether the request makes, shows, changes or links a credential: sessions, tokens, passwords, identities, setup. A plugin that
 * acts for its caller never may: what it made there would work without the caller, and without the plugin's limits.
 */
export function concernsCredential(request: RequestInfo): boolean {
  if (request.kind === 'non-resource') return request.path === '/auth' || request.path.startsWith('/auth/')
  const { group, resource, subresource } = request
  // Every sub-resource of a user is about signing in as that user.
  if (group === '') return resource === 'users' && subresource !== undefined
  if (group === 'api.platform.run') return resource === 'sessions'
  return resource === 'personalaccesstokens' && (group === 'security.platform.run' || group === 'uc.api.platform.run')
}
