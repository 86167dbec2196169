import { ApiError } from '@pergola/api'
import { signedIn } from '../sign-in/sessions-endpoint.ts'
import type { SecretCookie } from '../../call/cookie.ts'
import type { Answer, Call } from '../../call/call.ts'
import { loginMs, type OidcLogins } from '../../credentials/oidc-logins.ts'
import { newSecret } from '../../credentials/secret.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import { newBrowserSecrets, type OidcClient } from './oidc-client.ts'
import { providerNoted } from './provider-noted.ts'
import { seeOther } from '../sign-in/see-other.ts'
import { readReturnTo } from '../sign-in/return-to.ts'

export interface BeginParts {
  readonly logins: OidcLogins
  /** Binds a login to the browser that started it. */
  readonly loginCookie: SecretCookie
  readonly publicUrl: () => string
  /** The reason why sign-in is refused on this host, if there is one. */
  readonly insecure: () => string | undefined
}

/** `GET /auth/oidc/<provider>`: redirects to the provider. */
export async function beginLogin(parts: BeginParts, call: Call, client: OidcClient): Promise<Answer> {
  const { url, cookie } = await begin(parts, call, { client })
  return seeOther(url, [cookie])
}

/**
 * `POST /auth/oidc/<provider>`: sends a signed-in user to the provider to link an identity. Not a GET: an attacker could send
 * a link that attaches the attacker's identity to the user.
 */
export async function beginLinking(parts: BeginParts, call: Call, client: OidcClient): Promise<Answer> {
  const { uid, sessionId = '' } = signedIn(call)
  const { url, cookie } = await begin(parts, call, { client, linking: { uid, sessionId } })
  return jsonAnswer(201, Buffer.from(JSON.stringify({ url })), { 'set-cookie': cookie, 'cache-control': 'no-store' })
}

interface Beginning {
  readonly client: OidcClient
  readonly linking?: { readonly uid: string; readonly sessionId: string }
}

async function begin(
  { logins, loginCookie, publicUrl, insecure }: BeginParts,
  { request }: Call,
  { client, linking }: Beginning,
) {
  const why = insecure()
  if (why !== undefined) throw new ApiError('Forbidden', why)
  const returnTo = readReturnTo(request.query, publicUrl())
  const secrets = newBrowserSecrets()
  const url = await providerNoted(request, client.loginUrl(secrets, redirectUri(publicUrl(), client)))
  const browser = newSecret('pgo_')
  const { nonce, verifier, state } = secrets
  await logins.begin(
    { provider: client.provider.name, nonce, verifier, returnTo, ...(linking && { linking }) },
    { state, browser, address: request.address },
  )
  return { url: url.href, cookie: loginCookie.set(browser, loginMs / 1000) }
}

/** Must match the URI registered at the provider exactly. */
export function redirectUri(publicUrl: string, { provider }: OidcClient): string {
  return `${new URL(publicUrl).origin}/auth/oidc/${provider.name}/callback`
}
