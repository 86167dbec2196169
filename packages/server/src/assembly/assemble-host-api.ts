import type { AuthenticateParts } from '../authn/authenticate.ts'
import type { HostRoute } from '../call/host-route.ts'
import type { AccessSource } from '../access/access-source.ts'
import { findUser } from '../access/find-user.ts'
import { createFirstAdministrator, needsSetup, type FirstAdministratorParts } from '../access/first-administrator.ts'
import type { AccessModels } from '../access/access-models.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Administrator } from '../config/administrator.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import { loginCookie, sessionCookie } from '../call/cookie.ts'
import type { Log } from '../base/log.ts'
import type { OidcProvider } from '../config/oidc-provider.ts'
import type { KnownCredentials } from '../credentials/known-credentials.ts'
import { createLoginLimits } from '../credentials/login-limits.ts'
import { createOidcLogins } from '../credentials/oidc-logins.ts'
import { createPasswords } from '../credentials/passwords.ts'
import type { Sessions } from '../credentials/sessions.ts'
import type { SessionUser } from '../store/records/sessions.ts'
import { makeSetupSecret } from '../credentials/setup-secrets.ts'
import type { SignInCode } from '../credentials/sign-in-code.ts'
import { createOidcClient } from '../host-api/oidc/oidc-client.ts'
import { oidcRoutes } from '../host-api/oidc/oidc-routes.ts'
import { hostRoutesOf } from '../host-api/own-routes.ts'
import { accountRoutes } from '../host-api/sign-in/account-routes.ts'
import { consoleFolder, setupPagePath } from '../console/read-console.ts'
import { insecureLogin, warnOfInsecureLogin, warnOfMissingUrl } from '../host-api/sign-in/insecure-login.ts'
import type { Store } from '../store/store.ts'

export interface AccountParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly providers: readonly OidcProvider[]
  readonly access: AccessSource
  readonly accessModels: AccessModels
  readonly sessions: Sessions
  readonly credentials: KnownCredentials
  readonly publicUrl: () => string
  readonly signInCode: SignInCode | undefined
}

export interface AssembledHostApi {
  readonly hostRoutes: readonly HostRoute[]
  readonly authentication: AuthenticateParts
  readonly setup: FirstAdministratorParts
  /** Signs a user in without a password. */
  readonly signIn: (name: string) => Promise<string>
}

/** The host's own endpoints. */
export function assembleHostApi(parts: AccountParts): AssembledHostApi {
  const { store, clock, log, config, providers, access, sessions, credentials, publicUrl, signInCode } = parts
  const { users, bindings, roles, tokens: tokenModel } = parts.accessModels
  const ownScheme = config.tls.certFile === undefined ? 'http:' : 'https:'
  const cookie = sessionCookie(config.server.publicUrl ?? ownScheme)
  const passwords = createPasswords(store, clock)
  const onEnd = (uid: string) => credentials.forget(uid)
  warnOfInsecureLogin(config, log)
  warnOfMissingUrl(config, log)
  const insecure = () => insecureLogin(new URL(publicUrl()), config)
  const setup = { store, clock, users, bindings, passwords }
  const account = accountRoutes({
    ...setup,
    tokens: tokenModel,
    sessions,
    limits: createLoginLimits(store, clock),
    cookie,
    setupPage: setupPagePath(consoleFolder),
    insecure,
    findUser: (name) => findUser(store, users, name),
    onEnd,
    publicUrl,
    signInCode,
    providers,
  })
  const oidc = oidcRoutes({
    ...setup,
    roles,
    log,
    sessions,
    cookie,
    insecure,
    publicUrl,
    onRoles: (name) => access.forget(name),
    clients: providers.map((provider) => createOidcClient(provider)),
    logins: createOidcLogins(store, clock),
    loginCookie: loginCookie(config.server.publicUrl ?? ownScheme),
  })
  return {
    authentication: { credentials, cookieName: cookie.name, clearedCookie: cookie.cleared },
    setup,
    signIn: async (name: string) => signInHere(sessions, name, await findUser(store, users, name)),
    hostRoutes: [
      ...account,
      ...oidc,
      ...hostRoutesOf({ ...setup, rights: access, tokens: tokenModel, sessions, providers, onEnd }),
    ],
  }
}

/** Creates the configured first administrator; otherwise returns the secret for creating one. */
export async function firstSetup(
  { audit, ...setup }: FirstAdministratorParts & { readonly audit: AuditLog | undefined },
  { administrator, log }: { readonly administrator?: Administrator; readonly log: Log },
): Promise<string | undefined> {
  if (!(await needsSetup(setup))) return undefined
  if (!administrator) return makeSetupSecret(setup.store, setup.clock)
  try {
    await createFirstAdministrator(setup, administrator)
    audit?.record({ event: 'setup', how: 'configuration', account: administrator.username, decision: 'allowed' })
    log.info({ username: administrator.username }, 'created the first super administrator')
  } catch (error) {
    // Another replica that started at the same moment has created it; unless another user has the name.
    if (await needsSetup(setup)) throw error
  }
  return undefined
}

async function signInHere(sessions: Sessions, name: string, user: SessionUser | undefined): Promise<string> {
  if (!user) throw new Error(`there is no user "${name}" who may sign in`)
  const { secret } = await sessions.begin({ user, transport: 'token', address: 'here', agent: 'the program itself' })
  return secret
}
