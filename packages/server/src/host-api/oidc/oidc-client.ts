import { ApiError } from '@pergola/api'
import * as client from 'openid-client'
import { isLoopback } from '../../base/loopback.ts'
import type { OidcProvider } from '../../config/oidc-provider.ts'
import { cannotBeUsed, refusedLogin } from './provider-errors.ts'

/** A provider's metadata is cached for this long. */
const metadataCacheMs = 3_600_000
/** After a failure the provider is not contacted for this long, so that callers do not wait for it one after the other. */
const retryMs = 2_000
/** Tolerated clock skew between a provider and this host. */
const clockToleranceSeconds = 30
/** The limit of the OpenID Connect standard. */
const maxSubjectLength = 255

export interface BrowserSecrets {
  readonly state: string
  readonly nonce: string
  /** Proves to the provider that the same client started and ends the login (PKCE). */
  readonly verifier: string
}

/** A user's identity and claims, verified to come from the provider. */
export interface ProvenLogin {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** A client of one provider. It contacts the provider when a user first signs in with it. */
export interface OidcClient {
  readonly provider: OidcProvider
  /** The URL where a browser signs in; the browser then returns to `redirectUri`. */
  loginUrl(secrets: BrowserSecrets, redirectUri: string): Promise<URL>
  /** Exchanges the code in the URL that the browser returned to; throws when the login is not valid. */
  prove(callbackUrl: URL, secrets: BrowserSecrets): Promise<ProvenLogin>
}

export function newBrowserSecrets(): BrowserSecrets {
  return { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
}

export interface OidcClientOptions {
  /** Timeout of each request to the provider. */
  readonly timeoutSeconds?: number
}

export function createOidcClient(provider: OidcProvider, { timeoutSeconds = 5 }: OidcClientOptions = {}): OidcClient {
  const configuration = cachedConfiguration(provider, timeoutSeconds)
  return {
    provider,
    loginUrl: async ({ state, nonce, verifier }, redirectUri) =>
      client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: provider.scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    prove: async (callbackUrl, { state, nonce, verifier }) => {
      const config = await configuration()
      try {
        const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        return await proven(provider, config, tokens)
      } catch (error) {
        throw refusedLogin(provider, error)
      }
    },
  }
}

/** Concurrent callers share one request. */
function cachedConfiguration(provider: OidcProvider, timeoutSeconds: number): () => Promise<client.Configuration> {
  let cached: { readonly made: Promise<client.Configuration>; readonly until: number } | undefined
  return () => {
    if (cached && cached.until > performance.now()) return cached.made
    const made = discover(provider, timeoutSeconds).catch((error: unknown) => {
      cached = { made, until: performance.now() + retryMs }
      throw cannotBeUsed(provider, error)
    })
    cached = { made, until: performance.now() + metadataCacheMs }
    return made
  }
}

async function discover(provider: OidcProvider, timeout: number): Promise<client.Configuration> {
  const { issuer, clientId, clientSecret } = provider
  const execute =
    new URL(issuer).protocol === 'http:' && isLoopback(new URL(issuer)) ? [client.allowInsecureRequests] : []
  const found = await client.discovery(new URL(issuer), clientId, {}, client.None(), { timeout, execute })
  const server = found.serverMetadata()
  const metadata = { [client.clockTolerance]: clockToleranceSeconds }
  const usable = new client.Configuration(server, clientId, metadata, authentication(server, clientSecret))
  usable.timeout = timeout
  // Also verify the signature of ID tokens received directly from the provider, which the standard makes optional.
  for (const step of [...execute, client.enableNonRepudiationChecks]) step(usable)
  return usable
}

/** `client_secret_basic`, the default of the standard, unless the provider supports only `client_secret_post`. */
function authentication(server: client.ServerMetadata, secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None()
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
  return methods.includes('client_secret_basic') ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

async function proven(provider: OidcProvider, config: client.Configuration, tokens: Tokens): Promise<ProvenLogin> {
  const idToken = tokens.claims()
  if (!idToken) throw new Error('the response has no ID token')
  const { iss, sub } = idToken
  // For some providers the library accepts every tenant as one issuer.
  if (new URL(iss).href !== provider.issuer) throw new Error('the ID token is from another issuer')
  if (sub.length > maxSubjectLength)
    throw new ApiError('Unauthenticated', `the subject that ${provider.displayName} gave is too long`)
  const claims = { ...(await userInfo(provider, config, { tokens, idToken })), ...idToken }
  return { issuer: provider.issuer, subject: sub, claims }
}

interface UserInfoNeed {
  readonly tokens: Tokens
  readonly idToken: client.IDToken
}

/** Many providers return names and groups only from the userinfo endpoint. */
async function userInfo(
  { rolesClaim }: OidcProvider,
  config: client.Configuration,
  { tokens, idToken }: UserInfoNeed,
): Promise<object> {
  const first = rolesClaim?.startsWith('/') ? rolesClaim.split('/')[1] : rolesClaim
  const isComplete = 'preferred_username' in idToken && (first === undefined || first in idToken)
  if (isComplete || config.serverMetadata().userinfo_endpoint === undefined) return {}
  return client.fetchUserInfo(config, tokens.access_token, idToken.sub)
}
