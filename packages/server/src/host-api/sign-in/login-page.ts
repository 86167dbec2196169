import type { Answer, Call, IncomingRequest } from '../../call/call.ts'
import type { HostRoute } from '../../call/host-route.ts'
import type { SignInCode } from '../../credentials/sign-in-code.ts'
import { formType, isForm, readForm } from '../../validation/read-form.ts'
import { ApiError } from '@pergola/api'
import { readReturnTo } from './return-to.ts'
import { seeOther } from './see-other.ts'
import { failedPage, pageAnswer, type SignInPage } from './sign-in-page.ts'
import { login, signInBy, type SessionsEndpointParts } from './sessions-endpoint.ts'
import { codeField, linkScript, signInByCode } from './sign-in-link.ts'

export const loginPagePath = '/auth/login'
const path = loginPagePath

export interface LoginPageParts extends SessionsEndpointParts {
  readonly publicUrl: () => string
  /** The code of the printed link, on a development host alone. */
  readonly signInCode?: SignInCode | undefined
  /** Other ways to sign in. */
  readonly providers: readonly { readonly name: string; readonly displayName: string }[]
}

/** A login page that works without scripts. */
export function loginPageRoutes(parts: LoginPageParts): readonly HostRoute[] {
  const page = { status: 200, type: 'text/html', description: 'The web page.' }
  const returnTo = {
    name: 'returnTo',
    description: 'The path on this host to redirect the browser to afterwards; the console by default.',
    schema: { type: 'string', maxLength: 2_000 },
  }
  return [
    {
      id: 'loginPage',
      method: 'GET',
      path,
      summary: 'Show the login page',
      isPublic: true,
      query: [returnTo],
      answers: [page, { status: 303, description: 'For a signed-in user: redirects to the requested page.' }],
      handle: (call) => showLogin(parts, call),
    },
    {
      id: 'signInByForm',
      method: 'POST',
      path,
      summary: 'Sign in with the form of the login page',
      isPublic: true,
      body: { types: [formType] },
      answers: [{ status: 303, description: 'Redirects to the requested page and sets the session cookie.' }],
      failures: ['TooManyRequests', 'CrossSite'],
      handle: (call) => signInByForm(parts, call),
    },
  ]
}

/** The login page for a request that requires a signed-in user; it returns to the request's target. */
export function loginPath({ target }: IncomingRequest): string {
  return `${path}?returnTo=${encodeURIComponent(target)}`
}

async function showLogin(parts: LoginPageParts, { caller, request }: Call): Promise<Answer> {
  const returnTo = whereTo(parts, request.query)
  // The page of a link signs in as its user, whoever was signed in before.
  if (caller.kind !== 'anonymous' && !parts.signInCode) return seeOther(returnTo, [])
  return pageAnswer(pageOf(parts, returnTo))
}

async function signInByForm(parts: LoginPageParts, { request }: Call): Promise<Answer> {
  if (!isForm(request))
    throw new ApiError(
      'UnsupportedMediaType',
      `this endpoint requires ${formType}; API clients use POST /auth/sessions`,
    )
  const { signInCode } = parts
  const { returnTo: asked, ...sent } = await readForm(request)
  const returnTo = whereTo(parts, new URLSearchParams(asked === undefined ? {} : { returnTo: asked }))
  try {
    const { [codeField]: code } = sent
    const { cookie } =
      signInCode && code !== undefined
        ? await signInByCode({ ...parts, signInCode }, request, code)
        : await signInBy(parts, request, { ...login.check(sent), transport: 'cookie' })
    return seeOther(returnTo, [cookie])
  } catch (error) {
    return failedPage(error, pageOf(parts, returnTo), sent)
  }
}

function whereTo({ publicUrl }: LoginPageParts, query: URLSearchParams): string {
  return query.has('returnTo') ? readReturnTo(query, publicUrl()) : '/console'
}

function pageOf({ providers, signInCode }: LoginPageParts, returnTo: string): SignInPage {
  return {
    title: 'Sign in',
    lead: 'Sign in to continue.',
    action: path,
    hidden: { returnTo },
    button: 'Sign in',
    ...(signInCode && { script: linkScript }),
    fields: [
      { name: 'username', label: 'User name', autocomplete: 'username' },
      { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
    ],
    links: providers.map(({ name, displayName }) => ({
      href: `/auth/oidc/${encodeURIComponent(name)}?returnTo=${encodeURIComponent(returnTo)}`,
      text: `Sign in with ${displayName}`,
    })),
  }
}
