import type { Answer, Call, IncomingRequest } from '../../base/call.ts'
import type { HostRoute } from '../../base/host-route.ts'
import { formType, isForm, readForm } from '../../validation/read-form.ts'
import { ApiError } from '@pergola/api'
import { readReturnTo } from './return-to.ts'
import { seeOther } from './see-other.ts'
import { failedPage, pageAnswer, type SignInPage } from './sign-in-page.ts'
import { login, signInBy, type SessionsEndpointParts } from './sessions-endpoint.ts'

const path = '/auth/login'

export interface LoginPageParts extends SessionsEndpointParts {
  readonly publicUrl: () => string
  /** Other ways to sign in. */
  readonly providers: readonly { readonly name: string; readonly displayName: string }[]
}

/** A login page that works without scripts. */
export function loginPageRoutes(parts: LoginPageParts): readonly HostRoute[] {
  const page = { status: 200, type: 'text/html', description: 'The page.' }
  const returnTo = {
    name: 'returnTo',
    description: 'The path of this host where the browser goes afterwards; the console unless it is said.',
    schema: { type: 'string', maxLength: 2_000 },
  }
  return [
    {
      id: 'loginPage',
      method: 'GET',
      path,
      summary: 'Show a page to sign in, for browsers',
      isPublic: true,
      query: [returnTo],
      answers: [page, { status: 303, description: 'For somebody who has signed in: to where it wanted to go.' }],
      handle: (call) => showLogin(parts, call),
    },
    {
      id: 'signInByForm',
      method: 'POST',
      path,
      summary: 'Sign in by the form of that page',
      isPublic: true,
      body: { types: [formType] },
      answers: [{ status: 303, description: 'To where the browser wanted to go, with the cookie of the session.' }],
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
  if (caller.kind !== 'anonymous') return seeOther(returnTo, [])
  return pageAnswer(pageOf(parts, returnTo))
}

async function signInByForm(parts: LoginPageParts, { request }: Call): Promise<Answer> {
  if (!isForm(request))
    throw new ApiError('UnsupportedMediaType', `this takes ${formType}; API clients use POST /auth/sessions`)
  const { returnTo: asked, ...sent } = await readForm(request)
  const returnTo = whereTo(parts, new URLSearchParams(asked === undefined ? {} : { returnTo: asked }))
  try {
    const { cookie } = await signInBy(parts, request, { ...login.check(sent), transport: 'cookie' })
    return seeOther(returnTo, [cookie])
  } catch (error) {
    return failedPage(error, pageOf(parts, returnTo), sent)
  }
}

function whereTo({ publicUrl }: LoginPageParts, query: URLSearchParams): string {
  return query.has('returnTo') ? readReturnTo(query, publicUrl()) : '/console'
}

function pageOf({ providers }: LoginPageParts, returnTo: string): SignInPage {
  return {
    title: 'Sign in',
    lead: 'Sign in to continue.',
    action: path,
    hidden: { returnTo },
    button: 'Sign in',
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
