import { ApiError, isApiError } from '@pergola/api'
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import type { OidcProvider } from '../../config/oidc-provider.ts'

/** The provider did not answer, or its answer does not follow the protocol. */
const notAnswered = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
])
/** Errors of a token endpoint that rejects this host as a client. */
const ourFault = new Set(['invalid_client', 'unauthorized_client'])

/** The provider cannot be used now; other ways to sign in still work. */
export function cannotBeUsed({ displayName }: OidcProvider, cause: unknown): ApiError {
  const detail = `${displayName} cannot be used to sign in now (${why(cause)}); try again, or sign in another way`
  return new ApiError('Unavailable', detail, { headers: { 'retry-after': '5' }, cause })
}

/** The error for a login that failed at the callback. */
export function refusedLogin(provider: OidcProvider, error: unknown): ApiError {
  if (isApiError(error)) return error
  const { displayName, name } = provider
  if (error instanceof AuthorizationResponseError) {
    return refused(`${displayName} did not sign you in (${word(error.error)}); start again`, error)
  }
  if (error instanceof ResponseBodyError) {
    if (!ourFault.has(error.error))
      return refused(`${displayName} did not accept the login (${word(error.error)}); start again`, error)
    const detail = `${displayName} does not accept this server; its operator should look at clientId and clientSecretFile of oidc.providers "${name}"`
    return new ApiError('Unavailable', detail, { headers: { 'retry-after': '60' }, cause: error })
  }
  if (error instanceof TypeError || notAnswered.has(codeOf(error) ?? '')) return cannotBeUsed(provider, error)
  return refused(`the response of ${displayName} could not be verified (${why(error)}); start again`, error)
}

function refused(detail: string, cause: unknown): ApiError {
  return new ApiError('Unauthenticated', detail, { cause })
}

function why(error: unknown): string {
  const code = codeOf(error) ?? codeOf(error instanceof Error ? error.cause : undefined)
  return code ?? (error instanceof Error ? error.message : 'no reason given')
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** The text came through the browser: repeat it only when it looks like an error code of the standard. */
function word(text: string): string {
  return /^[a-z_]{1,50}$/.test(text) ? text : 'for a reason of its own'
}
