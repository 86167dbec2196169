import { isLoopback } from './loopback.ts'

/** Why an origin cannot be allowed, in words that follow its setting; undefined when it can. */
export function faultOfOrigin(text: string, allowsPlain: boolean): string | undefined {
  if (text.includes('*')) return 'must name one origin; there is no "*", since it would let in every page there is'
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
    return 'must be an origin, such as https://app.example.com'
  if (url.origin !== text) return `must be written as browsers send it: ${url.origin}`
  if (url.protocol === 'https:' || isLoopback(url) || allowsPlain) return undefined
  return `is plain http, where whoever is on the way can change the page; use https://${url.host}, or set server.allowInsecureLogin: true`
}
