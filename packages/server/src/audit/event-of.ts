import type { RequestInfo } from '@pergola/api'

const ofPaths: readonly (readonly [request: RegExp, event: string])[] = [
  [/^create \/auth\/sessions$/, 'sign-in'],
  [/^get \/auth\/oidc\/[^/]+\/callback$/, 'sign-in'],
  [/^delete \/auth\/sessions\//, 'sign-out'],
  [/^update \/auth\/password$/, 'password-change'],
  [/^create \/auth\/setup$/, 'setup'],
]

const tokenGroups = new Set(['uc.api.platform.run', 'security.platform.run'])

/** The account-related event of a request, such as a sign-in. */
export function eventOf(info: RequestInfo): string | undefined {
  if (info.kind === 'non-resource') {
    if (!info.path.startsWith('/auth/')) return undefined
    const request = `${info.verb} ${info.path}`
    return ofPaths.find(([known]) => known.test(request))?.[1]
  }
  const { group, resource, subresource, verb } = info
  if (group === '' && resource === 'users') return ofUsers(verb, subresource)
  if (resource !== 'personalaccesstokens' || !tokenGroups.has(group)) return undefined
  if (verb === 'create') return 'token-create'
  return verb === 'delete' || verb === 'deletecollection' ? 'token-delete' : undefined
}

function ofUsers(verb: string, subresource: string | undefined): string | undefined {
  if (subresource === 'password') return 'password-set'
  if (subresource === 'sessions') return verb === 'delete' ? 'sessions-end' : undefined
  if (subresource !== 'oidcidentities') return undefined
  if (verb === 'create') return 'identity-link'
  return verb === 'delete' ? 'identity-unlink' : undefined
}
