import type { OidcProvider } from '../config/oidc-provider.ts'
import { createOidcClient, newBrowserSecrets } from '../host-api/oidc/oidc-client.ts'
import { wordsOf, type Check, type Finding } from './finding.ts'

const timeoutSeconds = 2

/** Whether the metadata of each provider can be read, and a login could begin. */
export function providerChecks(providers: readonly OidcProvider[]): readonly Check[] {
  return providers.map((provider) => ({
    name: nameOf(provider),
    run: async () => [await providerFinding(provider)],
    lateAdvice: metadataCommand(provider),
  }))
}

async function providerFinding(provider: OidcProvider): Promise<Finding> {
  const name = nameOf(provider)
  const client = createOidcClient(provider, { timeoutSeconds })
  try {
    const { origin } = await client.loginUrl(
      newBrowserSecrets(),
      'https://pergola.example.com/auth/oidc/check/callback',
    )
    return { level: 'ok', name, words: `${provider.issuer} answers; people sign in at ${origin}` }
  } catch (error) {
    const words = `nobody can sign in by ${provider.issuer}: ${wordsOf(error)}`
    return { level: 'failed', name, words, advice: `${metadataCommand(provider)}  shows what it answers` }
  }
}

function nameOf({ name }: OidcProvider): string {
  return `oidc ${name}`
}

function metadataCommand({ issuer }: OidcProvider): string {
  return `curl -fsS '${issuer.replace(/\/$/, '')}/.well-known/openid-configuration'`
}
