import { isLoopback } from '../base/loopback.ts'

/** Why an origin cannot be allowed, in words that follow its setting; undefined when it can. */
export function faultOfOrigin(text: string, allowsPlain: boolean): string | undefined {
  if (text.includes('*')) return 'must be one origin; "*" is not supported, because it would allow every site'
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
    return 'must be an origin, such as https://app.example.com'
  if (url.origin !== text) return `must be written as browsers send it: ${url.origin}`
  if (url.protocol === 'https:' || isLoopback(url) || allowsPlain) return undefined
  return `uses plain http, where the page can be modified in transit; use https://${url.host}, or set server.allowInsecureLogin: true`
}
