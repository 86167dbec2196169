import type { Answer, IncomingRequest } from '../../call/call.ts'
import { loginPagePath, loginPath } from './login-page.ts'
import { seeOther } from './see-other.ts'
import { wantsPage } from './sign-in-page.ts'

/**
 * A person who opens a documentation page is redirected to sign in, and the login page is shown again without the cookie of an
 * ended session; programs get the error.
 */
export function signInFirst(request: IncomingRequest, clearedCookie: string | undefined): Answer | undefined {
  const { method, target } = request
  if (method !== 'GET' || !wantsPage(request)) return undefined
  const cookies = clearedCookie === undefined ? [] : [clearedCookie]
  if (/^\/openapi(\/(?!v3\b)|\?|$)/.test(target)) return seeOther(loginPath(request), cookies)
  const isLogin = target.split('?', 1)[0] === loginPagePath
  return isLogin && clearedCookie !== undefined ? seeOther(target, cookies) : undefined
}
