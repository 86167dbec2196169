import { isApiError } from '@pergola/api'
import type { Answer, IncomingRequest } from '../../call/call.ts'
import { inlineSource, pageHeaders } from '../../call/page-headers.ts'

/** A page with one form, for people who are not signed in. */
export interface SignInPage {
  readonly title: string
  readonly lead: string
  readonly action: string
  readonly fields: readonly FormField[]
  readonly button: string
  readonly links?: readonly { readonly href: string; readonly text: string }[]
  /** Hidden form values. */
  readonly hidden?: Readonly<Record<string, string>>
  /** Runs when the page is shown. */
  readonly script?: string
}

interface FormField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly type?: 'text' | 'password'
  readonly autocomplete: string
  readonly value?: string
}

/** Whether the client is a browser that accepts HTML. */
export function wantsPage({ headers }: IncomingRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '')
}

/** Shows the error above the form. Keeps the typed values, except secrets. */
export function failedPage(error: unknown, page: SignInPage, sent: Readonly<Record<string, string>>): Answer {
  if (!isApiError(error) || error.status >= 500) throw error
  const fields = page.fields.map((field) => {
    const value = field.type === 'password' ? undefined : sent[field.name]
    return value === undefined ? field : { ...field, value }
  })
  const answer = pageAnswer({ ...page, fields }, error.message)
  return { ...answer, status: error.status, headers: { ...error.headers, ...answer.headers } }
}

export function pageAnswer(page: SignInPage, fault?: string): Answer {
  const body = Buffer.from(htmlOf(page, fault))
  return { status: 200, contentType: 'text/html; charset=utf-8', headers: headersFor(page), body }
}

const style = `
:root { color-scheme: light dark; --brand: light-dark(#0b6e4f, #57cda0); --ink: light-dark(#18211d, #e7ede9); --muted: light-dark(#56635d, #9eaba4);
  --line: light-dark(#c6d0cb, #3a4541); --surface: light-dark(#fff, #181d1b); --bad: light-dark(#b3261e, #f2847c); --bad-soft: light-dark(#fbe6e4, #3b1f1d) }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink);
  background: light-dark(#f5f7f6, #101412) }
main { width: min(25rem, 100%); padding: 2.25rem 2rem; background: var(--surface); border: 1px solid light-dark(#dfe5e2, #2b3431); border-radius: 10px }
h1 { font-size: 1.5rem; line-height: 1.3; margin: .75rem 0 .25rem } p { margin: 0 0 1.25rem; color: var(--muted) }
label { display: block; font-weight: 600; margin-top: 1rem } small { display: block; color: var(--muted); margin-top: .3rem }
input { width: 100%; margin-top: .35rem; padding: .6rem .7rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 7px }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--brand); outline-offset: 2px }
button, .button { display: block; width: 100%; margin-top: 1.5rem; padding: .7rem; font: inherit; font-weight: 600; text-align: center; border: 0; border-radius: 7px;
  color: light-dark(#fff, #08130e); background: var(--brand); cursor: pointer }
.button { margin-top: .75rem; color: var(--ink); background: none; border: 1px solid var(--line); text-decoration: none }
[role=alert] { padding: .7rem .8rem; border-radius: 7px; color: var(--bad); background: var(--bad-soft) }
`

const logo = `<svg width="44" height="44" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0b6e4f"/><path d="M5 11h22M8 8v17M24 8v17M13 11v4M19 11v4" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/><path d="M8 17c4 0 4 5 8 5s4-5 8-5" fill="none" stroke="#8fe3c0" stroke-width="2.2" stroke-linecap="round"/></svg>`

function headersFor({ script }: SignInPage): Readonly<Record<string, string>> {
  const scripts = script === undefined ? [] : [`script-src ${inlineSource(script)}`]
  return {
    'cache-control': 'no-store',
    ...pageHeaders(`style-src ${inlineSource(style)}`, ...scripts, "form-action 'self'"),
    // Without a referrer the browser sends `Origin: null`, and the form would be refused as cross-site.
    'referrer-policy': 'same-origin',
  }
}

function htmlOf(page: SignInPage, fault?: string): string {
  const { title, lead, action, fields, button, links = [], hidden = {}, script } = page
  const inputs = fields.map((field, at) => inputOf(field, at === 0))
  const kept = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  const others = links.map(({ href, text }) => `<a class="button" href="${escaped(href)}">${escaped(text)}</a>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)} · Pergola</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head><body><main>${logo}
<h1>${escaped(title)}</h1><p>${escaped(lead)}</p>${fault === undefined ? '' : `<p role="alert">${escaped(capitalized(fault))}.</p>`}
<form method="post" action="${escaped(action)}">${kept.join('')}${inputs.join('')}<button>${escaped(button)}</button></form>
${others.join('')}</main>${script === undefined ? '' : `<script>${script}</script>`}</body></html>`
}

function inputOf({ name, label, hint, type = 'text', autocomplete, value = '' }: FormField, isFirst: boolean): string {
  const about = hint === undefined ? '' : ` aria-describedby="${name}-hint"`
  const help = hint === undefined ? '' : `<small id="${name}-hint">${escaped(hint)}</small>`
  return `<label for="${name}">${escaped(label)}</label><input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${escaped(value)}" required${isFirst ? ' autofocus' : ''}${about}>${help}`
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
