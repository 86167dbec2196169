import { ApiError } from '@pergola/api'
import * as client from 'openid-client'
import { isLoopback } from '../../base/loopback.ts'
import type { OidcProvider } from '../../base/oidc-provider.ts'
import { cannotBeUsed, refusedLogin } from './provider-errors.ts'

/** What a provider says of itself is asked again after this time. */
const keptMs = 3_600_000
/** One that could not be asked is left alone for this long: nobody waits for it in a row. */
const retryMs = 2_000
/** Clocks of providers may differ from ours by this much. */
const toleratedSeconds = 30
/** As the standard bounds it. */
const longestSubject = 255

export interface LoginSecrets {
  readonly state: string
  readonly nonce: string
  /** Proves to the provider that who ends the login began it. */
  readonly verifier: string
}

/** What a provider has told us of somebody, and how we know that it was the provider. */
export interface ProvenLogin {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** One provider as we use it. It is first spoken to when somebody wants to sign in by it. */
export interface OidcClient {
  readonly provider: OidcProvider
  /** Where a browser is sent to sign in; it comes back to `redirectUri`. */
  loginUrl(secrets: LoginSecrets, redirectUri: string): Promise<URL>
  /** Exchanges the code that the browser came back with, at the address it came to; throws what is wrong with it. */
  prove(cameBack: URL, secrets: LoginSecrets): Promise<ProvenLogin>
}

export function newLoginSecrets(): LoginSecrets {
  return { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
}

export interface OidcClientOptions {
  /** For each answer of the provider. */
  readonly timeoutSeconds?: number
}

export function createOidcClient(provider: OidcProvider, { timeoutSeconds = 5 }: OidcClientOptions = {}): OidcClient {
  const configuration = keptConfiguration(provider, timeoutSeconds)
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
    prove: async (cameBack, { state, nonce, verifier }) => {
      const known = await configuration()
      try {
        const tokens = await client.authorizationCodeGrant(known, cameBack, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        return await proven(provider, known, tokens)
      } catch (error) {
        throw refusedLogin(provider, error)
      }
    },
  }
}

/** Asked for once by however many wait for it. */
function keptConfiguration(provider: OidcProvider, timeoutSeconds: number): () => Promise<client.Configuration> {
  let kept: { readonly made: Promise<client.Configuration>; readonly until: number } | undefined
  return () => {
    if (kept && kept.until > performance.now()) return kept.made
    const made = discover(provider, timeoutSeconds).catch((error: unknown) => {
      kept = { made, until: performance.now() + retryMs }
      throw cannotBeUsed(provider, error)
    })
    kept = { made, until: performance.now() + keptMs }
    return made
  }
}

async function discover(provider: OidcProvider, timeout: number): Promise<client.Configuration> {
  const { issuer, clientId, clientSecret } = provider
  const execute =
    new URL(issuer).protocol === 'http:' && isLoopback(new URL(issuer)) ? [client.allowInsecureRequests] : []
  const found = await client.discovery(new URL(issuer), clientId, {}, client.None(), { timeout, execute })
  const server = found.serverMetadata()
  const metadata = { [client.clockTolerance]: toleratedSeconds }
  const usable = new client.Configuration(server, clientId, metadata, authentication(server, clientSecret))
  usable.timeout = timeout
  // Also of what comes straight from the provider, whose signature the standard lets one skip.
  for (const step of [...execute, client.enableNonRepudiationChecks]) step(usable)
  return usable
}

/** The way that the standard takes for granted, unless the provider only knows the other one. */
function authentication(server: client.ServerMetadata, secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None()
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
  return methods.includes('client_secret_basic') ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

async function proven(provider: OidcProvider, known: client.Configuration, tokens: Tokens): Promise<ProvenLogin> {
  const idToken = tokens.claims()
  if (!idToken) throw new Error('there is no ID token')
  const { iss, sub } = idToken
  // The library takes every tenant of some providers for one issuer.
  if (new URL(iss).href !== provider.issuer) throw new Error('the ID token is of another issuer')
  if (sub.length > longestSubject)
    throw new ApiError('Unauthenticated', `the subject that ${provider.displayName} gave is too long`)
  const claims = { ...(await userInfo(provider, known, { tokens, idToken })), ...idToken }
  return { issuer: provider.issuer, subject: sub, claims }
}

interface UserInfoNeed {
  readonly tokens: Tokens
  readonly idToken: client.IDToken
}

/** Many providers tell names and groups only when they are asked for them. */
async function userInfo(
  { rolesClaim }: OidcProvider,
  known: client.Configuration,
  { tokens, idToken }: UserInfoNeed,
): Promise<object> {
  const first = rolesClaim?.startsWith('/') ? rolesClaim.split('/')[1] : rolesClaim
  const isComplete = 'preferred_username' in idToken && (first === undefined || first in idToken)
  if (isComplete || known.serverMetadata().userinfo_endpoint === undefined) return {}
  return client.fetchUserInfo(known, tokens.access_token, idToken.sub)
}
