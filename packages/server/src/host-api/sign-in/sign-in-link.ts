import { ApiError } from '@pergola/api'
import type { IncomingRequest } from '../../call/call.ts'
import { isLoopback } from '../../base/loopback.ts'
import type { SignInCode } from '../../credentials/sign-in-code.ts'
import { beginSession, type BegunSession, type SessionsEndpointParts } from './sessions-endpoint.ts'

/** The field of the login page's form that has the code of a link. */
export const codeField = 'code'

/** Moves the code from the fragment of the address into a form, and sends it. */
export const linkScript = `
const code = location.hash.slice(1)
if (code) {
  history.replaceState(null, '', location.pathname)
  const form = document.createElement('form')
  form.method = 'post'
  form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: '${codeField}', value: code }))
  document.body.append(form)
  form.submit()
}
`

/** Signs in by the code of a link that `pergola dev` printed. */
export async function signInByCode(
  parts: SessionsEndpointParts & { readonly signInCode: SignInCode },
  request: IncomingRequest,
  code: string,
): Promise<BegunSession> {
  refuseOthers(request)
  const { user: account, take } = parts.signInCode
  request.note({ account })
  const user = await parts.limits.attempt({ account, address: request.address }, async () =>
    take(code) ? parts.findUser(account) : undefined,
  )
  if (!user) {
    throw new ApiError(
      'Unauthenticated',
      'this link was used or has expired; open the newest link that pergola dev has printed: it prints another one now if the last was used',
    )
  }
  return beginSession(parts, request, { user, guards: [user.guard], transport: 'cookie' })
}

/** Rejects requests by a page of another site whose name resolves to this machine (DNS rebinding). */
function refuseOthers({ address, headers }: IncomingRequest): void {
  const called = URL.parse(`http://${headers.host ?? ''}`)
  if (isLoopbackAddress(address) && called && isLoopback(called)) return
  throw new ApiError('Forbidden', 'links of pergola dev work only on the machine that it runs on')
}

function isLoopbackAddress(address: string): boolean {
  return /^127\.|^::1$/.test(address)
}
