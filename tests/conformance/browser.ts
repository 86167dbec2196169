import { expect } from 'vitest'
import { accountHeader } from './oidc-provider.ts'
import { expectStatus, type Answer } from './request.ts'
import type { Api } from './server.ts'

const mostHops = 10

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A browser of a user who signs in through a provider: it stores cookies and follows redirects. */
export interface Browser {
  /** `GET /auth/oidc/<provider>`. */
  begin(provider: string, query?: string): Promise<Answer>
  /** Signs in at the provider; returns the URL of our server that the provider redirects to. */
  atProvider(url: string): Promise<URL>
  /** Sends a request to our server with the cookies of this browser. */
  send(path: string, sent?: Sent): Promise<Answer>
  /** The whole flow: `begin`, `atProvider` and the callback. */
  signIn(provider: string, query?: string): Promise<Answer>
  /** The name of the signed-in user. */
  user(): Promise<string>
  /** The names of the roles that the user is bound to, sorted. */
  roles(): Promise<readonly string[]>
}

/** Opens a browser of the user with this subject. */
export function openBrowser(api: Api, subject: string): Browser {
  /** By origin and name. */
  const cookies = new Map<string, Map<string, string>>()
  const visit = (url: URL, sent: Sent = {}) => go(cookies, { url, subject, ...sent })
  const send: Browser['send'] = (path, sent) => visit(new URL(path, api.origin()), sent)
  const begin: Browser['begin'] = (provider, query = '') => send(`/auth/oidc/${provider}${query}`)
  const atProvider: Browser['atProvider'] = async (url) => {
    let at = new URL(url)
    for (let hops = 0; hops < mostHops && at.origin !== api.origin(); hops++) {
      const { headers, text } = await visit(at)
      expect(headers.location, text.slice(0, 500)).toBeDefined()
      at = new URL(String(headers.location), at)
    }
    return at
  }
  return {
    begin,
    atProvider,
    send,
    signIn: async (provider, query) => {
      const begun = await begin(provider, query)
      if (begun.status !== 303) return begun
      const { pathname, search } = await atProvider(String(begun.headers.location))
      return send(pathname + search)
    },
    user: async () => {
      const answer = await send('/auth/sessions')
      expectStatus(answer, 200)
      const { items } = answer.body as { items: { username: string; current: boolean }[] }
      return String(items.find(({ current }) => current)?.username)
    },
    roles: async () => {
      const answer = await send('/apis/api.platform.run/v1alpha1/users/-/permissions')
      expectStatus(answer, 200)
      const { roles } = answer.body as { roles: { name: string; binding?: string }[] }
      return roles
        .filter(({ binding }) => binding !== undefined)
        .map(({ name }) => name)
        .toSorted()
    },
  }
}

interface Going extends Sent {
  readonly url: URL
  readonly subject: string
}

async function go(
  cookies: Map<string, Map<string, string>>,
  { url, subject, method = 'GET', headers }: Going,
): Promise<Answer> {
  const kept = cookies.get(url.origin) ?? new Map<string, string>()
  cookies.set(url.origin, kept)
  const cookie = Array.from(kept, ([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { [accountHeader]: subject, ...(cookie !== '' && { cookie }), ...headers },
  })
  const { 'set-cookie': _, ...single } = Object.fromEntries(response.headers)
  const set = response.headers.getSetCookie()
  for (const cookieSet of set) keep(kept, cookieSet)
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: { ...single, ...(set.length > 0 && { 'set-cookie': set }) },
    body: isJson ? (JSON.parse(text) as unknown) : undefined,
    text,
  }
}

function keep(kept: Map<string, string>, set: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
  const isOver = /;\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(set)
  if (isOver) kept.delete(name)
  else kept.set(name, value)
}
