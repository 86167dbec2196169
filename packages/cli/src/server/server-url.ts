import { usedWrongly } from '../terminal/command-fault.ts'

export interface UrlOptions {
  /** Allows plain http for any server. */
  readonly insecureHttp?: boolean | undefined
}

/**
 * Normalises a server URL, without trailing slash. Plain http can be intercepted, so it is only allowed for this machine.
 * Without a scheme, this machine gets http and every other server https.
 */
export function serverUrl(text: string, { insecureHttp = false }: UrlOptions = {}): string {
  const url = text.includes('://') ? URL.parse(text) : withScheme(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw usedWrongly(`"${text}" is not a server URL; write, for example, https://pergola.example.com`)
  }
  if (url.username !== '' || url.password !== '') {
    throw usedWrongly(
      'the server URL contains a user name or password, which other users of this machine can see; remove it, and use pergola login',
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !insecureHttp) {
    throw usedWrongly(
      `${url.origin} uses plain http, where passwords can be intercepted; use https, or add --insecure-http`,
    )
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

function withScheme(text: string): URL | null {
  const url = URL.parse(`https://${text}`)
  return url && isLoopback(url.hostname) ? URL.parse(`http://${text}`) : url
}

export function hostOf(url: string): string {
  return new URL(url).host
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  )
}
