import { usedWrongly } from '../terminal/command-fault.ts'

export interface UrlOptions {
  /** Plain http, wherever the server is. */
  readonly insecureHttp?: boolean | undefined
}

/** An address as it is kept: without a slash at its end. Others could read along on plain http, so it has to be this machine. */
export function serverUrl(text: string, { insecureHttp = false }: UrlOptions = {}): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw usedWrongly(`"${text}" is not the address of a server; write https://pergola.example.com`)
  }
  if (url.username !== '' || url.password !== '') {
    throw usedWrongly('an address with a password in it would be seen by others; leave it out, and it is asked for')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !insecureHttp) {
    throw usedWrongly(
      `${url.origin} is plain http, where everybody on the way reads passwords; use https, or add --insecure-http`,
    )
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
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
