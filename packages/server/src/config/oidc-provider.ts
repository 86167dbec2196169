import { ConfigError } from './config-error.ts'
import type { Config } from './config.ts'
import type { OidcProviderSettings } from './oidc-settings.ts'

/** An OpenID Connect provider. */
export interface OidcProvider {
  readonly name: string
  readonly displayName: string
  /** Normalized: issuer and subject together are an identity. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly scopes: readonly string[]
  readonly rolesClaim?: string
  /** Roles by the value of the claim. */
  readonly roles: ReadonlyMap<string, readonly string[]>
  /** Values of the claim that may sign in; undefined for everybody. */
  readonly requiredGroups?: ReadonlySet<string>
}

/** Maximum number of roles per provider: each is a binding of every user that has it. */
const mostRoles = 100

/** Throws `ConfigError` with all errors, one line each. */
export function oidcProvidersOf(
  { providers }: Config['oidc'],
  readFile: (name: string) => string,
): readonly OidcProvider[] {
  const faults: string[] = []
  const read = providers.map((settings, at) => {
    const where = `oidc.providers.${at} (${settings.name})`
    faults.push(...disagreements(settings, providers.slice(0, at)).map((fault) => `${where}: ${fault}`))
    return toProvider(settings, (name) =>
      secretIn(name, { readFile, refuse: (fault) => faults.push(`${where}: ${fault}`) }),
    )
  })
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return read
}

/** Roles are managed by issuer: two providers of one issuer would remove each other's roles. */
function disagreements(
  { name, issuer, rolesClaim, roles, requiredGroups }: OidcProviderSettings,
  others: readonly OidcProviderSettings[],
): readonly string[] {
  const namesake = others.some((other) => other.name === name)
  const sameIssuer = others.find((other) => hrefOf(other.issuer) === hrefOf(issuer))
  const isMapped = Object.keys(roles).length > 0
  const different = new Set(Object.values(roles).flat()).size
  return [
    ...(namesake ? ['another provider has this name; choose another one'] : []),
    ...(different > mostRoles ? [`roles name ${different} different roles; at most ${mostRoles} are allowed`] : []),
    ...(sameIssuer ? [`${sameIssuer.name} has the same issuer; keep one of them`] : []),
    ...(rolesClaim !== undefined && !isMapped && !requiredGroups
      ? ['rolesClaim is set without roles or requiredGroups; say which value gives which role']
      : []),
    ...(rolesClaim === undefined && isMapped
      ? ['roles are mapped without rolesClaim; say which claim holds the values']
      : []),
    ...(rolesClaim === undefined && requiredGroups
      ? ['requiredGroups is set without rolesClaim; say which claim holds the groups']
      : []),
  ]
}

function toProvider(settings: OidcProviderSettings, readSecret: (file: string) => string): OidcProvider {
  const {
    name,
    displayName = name,
    issuer,
    clientId,
    clientSecretFile,
    scopes,
    rolesClaim,
    roles,
    requiredGroups,
  } = settings
  return {
    name,
    displayName,
    issuer: hrefOf(issuer),
    clientId,
    ...(clientSecretFile !== undefined && { clientSecret: readSecret(clientSecretFile) }),
    scopes,
    ...(rolesClaim !== undefined && { rolesClaim }),
    roles: new Map(Object.entries(roles)),
    ...(requiredGroups && { requiredGroups: new Set(requiredGroups) }),
  }
}

interface SecretReading {
  readonly readFile: (name: string) => string
  readonly refuse: (fault: string) => void
}

function secretIn(file: string, { readFile, refuse }: SecretReading): string {
  try {
    const secret = readFile(file).trim()
    if (secret === '') refuse(`${file} is empty; it must hold the client's secret`)
    return secret
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    refuse(error.message)
    return ''
  }
}

function hrefOf(issuer: string): string {
  return new URL(issuer).href
}
