import { ApiError } from '@pergola/api'
import { beginSession, type BeginSessionParts } from '../sign-in/sessions-endpoint.ts'
import { cookieIn, type SecretCookie } from '../../call/cookie.ts'
import type { Answer, Call, IncomingRequest } from '../../call/call.ts'
import type { OidcLogins } from '../../credentials/oidc-logins.ts'
import { identityBelongsTo, lockIdentity } from '../../store/records/identities.ts'
import { linkIdentity } from '../../access/link-identity.ts'
import { redirectUri } from './begin-login.ts'
import { isInRequiredGroup } from './mapped-roles.ts'
import { establishUser, type EstablishParts } from './establish-user.ts'
import type { OidcClient, ProvenLogin } from './oidc-client.ts'
import { providerNoted } from './provider-noted.ts'
import { seeOther } from '../sign-in/see-other.ts'

export interface FinishParts extends EstablishParts, BeginSessionParts {
  readonly logins: OidcLogins
  readonly loginCookie: SecretCookie
  readonly publicUrl: () => string
  /** Called after a user's roles were changed here. */
  readonly onRoles: (name: string) => void
}

/** `GET /auth/oidc/<provider>/callback`: the browser returns from the provider with a code that proves the identity. */
export async function finishLogin(parts: FinishParts, call: Call, client: OidcClient): Promise<Answer> {
  const { request } = call
  const { provider } = client
  const { state, login } = await begunLogin(parts, request)
  if (login.provider !== provider.name) throw notBegun()
  const cameBack = new URL(`${redirectUri(parts.publicUrl(), client)}?${request.query.toString()}`)
  const proven = await providerNoted(request, client.prove(cameBack, { state, ...login }))
  // Before a user is created or linked.
  if (!isInRequiredGroup(provider, proven.claims)) {
    const detail = `${provider.displayName} does not name you as a member of a group that may sign in here; ask an administrator`
    throw new ApiError('Forbidden', detail)
  }
  const cookies = [parts.loginCookie.cleared]
  if (login.linking) await link(parts, call, { linking: login.linking, proven })
  const user = await establishUser(parts, provider, proven)
  parts.onRoles(user.name)
  request.note({ account: user.name })
  if (!login.linking) {
    const proof = { lock: lockIdentity(proven, user.uid), holds: identityBelongsTo(proven, user.uid) }
    cookies.push((await beginSession(parts, request, { user, transport: 'cookie', proof })).cookie)
  }
  return seeOther(new URL(parts.publicUrl()).origin + login.returnTo, cookies)
}

/** The login that belongs to `state`, if this browser started it. */
async function begunLogin({ logins, loginCookie }: FinishParts, { query, headers }: IncomingRequest) {
  const [state, ...more] = query.getAll('state')
  const browser = cookieIn(headers.cookie, loginCookie.name)
  const login =
    state === undefined || more.length > 0 || browser === undefined ? undefined : await logins.end({ state, browser })
  if (state === undefined || !login) throw notBegun()
  return { state, login }
}

function notBegun(): ApiError {
  return new ApiError(
    'Unauthenticated',
    'this browser has not started such a login, or the login has ended or taken longer than 10 minutes; start again',
  )
}

interface Linking {
  readonly linking: { readonly uid: string; readonly sessionId: string }
  readonly proven: ProvenLogin
}

/** Only the session that started the link may finish it. */
async function link(parts: FinishParts, { caller }: Call, { linking, proven }: Linking): Promise<void> {
  if (caller.kind !== 'user' || caller.uid !== linking.uid || caller.sessionId !== linking.sessionId) {
    throw new ApiError('Forbidden', 'the session that started this link has ended; sign in and start again')
  }
  await linkIdentity(parts, proven, { user: caller })
}
