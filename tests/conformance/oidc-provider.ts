import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import type { OidcProviderSettings } from '../../packages/server/src/config/oidc-settings.ts'

const clientId = 'pergola'
const clientSecret = 'secret-of-the-client-secret-of-the-client'
/** The request header that names the account, in place of a login form. */
export const accountHeader = 'x-account'

type Claims = Readonly<Record<string, unknown>>
type Mapped = Partial<Pick<OidcProviderSettings, 'roles' | 'rolesClaim' | 'requiredGroups' | 'displayName'>>

export interface TestProvider {
  /** The claims of its users, by subject. */
  readonly accounts: Map<string, Claims>
  start(): Promise<void>
  stop(): Promise<void>
  /** The settings that an operator would configure. */
  settings(mapped?: Mapped): OidcProviderSettings
  origin(): string
}

/** A real provider on localhost. With `terse`, the ID token contains only the subject; other claims are at the userinfo endpoint. */
export function createTestProvider(name: string, { terse = false }: { readonly terse?: boolean } = {}): TestProvider {
  const accounts = new Map<string, Claims>()
  const directory = mkdtempSync(join(tmpdir(), 'pergola-oidc-'))
  const clientSecretFile = join(directory, 'secret')
  let server: Server | undefined
  let port = 0
  const origin = () => `http://127.0.0.1:${port}`
  return {
    accounts,
    origin,
    start: async () => {
      writeFileSync(clientSecretFile, `${clientSecret}\n`)
      const listening = createServer()
      server = listening.listen(0, '127.0.0.1')
      await once(listening, 'listening')
      port = (listening.address() as AddressInfo).port
      const provider = new Provider(origin(), configuration(name, { accounts, terse }))
      const callback = provider.callback()
      listening.on('request', (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return void callback(request, response)
        const accountId = String(request.headers[accountHeader])
        void provider.interactionFinished(request, response, { login: { accountId }, consent: {} })
      })
    },
    stop: async () => {
      server?.closeAllConnections()
      server?.close()
      rmSync(directory, { recursive: true })
    },
    settings: (mapped = {}) => ({
      name,
      issuer: origin(),
      clientId,
      clientSecretFile,
      scopes: ['openid', 'profile', 'email'],
      roles: {},
      ...mapped,
    }),
  }
}

interface Said {
  readonly accounts: ReadonlyMap<string, Claims>
  readonly terse: boolean
}

function configuration(name: string, { accounts, terse }: Said): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        // Allows redirect URIs on localhost with any port.
        application_type: 'native',
        redirect_uris: [`http://127.0.0.1/auth/oidc/${name}/callback`],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: name, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [`cookies of ${name}`] },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...accounts.get(accountId) }),
    }),
    claims: {
      openid: ['sub'],
      profile: ['preferred_username', 'name', 'groups', 'realm_access'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: terse,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: grantEverything,
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  }
}

/** Grants every scope without asking for consent. */
async function grantEverything({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc
  if (!client || session?.accountId === undefined) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid profile email')
  await grant.save()
  return grant
}
