import { objectNameFault } from '@pergola/api'
import { isLoopback } from '../base/loopback.ts'

interface Format {
  readonly test: (text: string) => boolean
  /** Describes a valid value. */
  readonly says: string
}

/** By name, as used in the schema of the settings. */
export const settingFormats: Readonly<Record<string, Format>> = {
  origin: { test: isOrigin, says: 'scheme, host and port alone, such as https://pergola.example.com' },
  'http-url': {
    test: (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
    says: 'an http or https address, such as http://localhost:4318/v1/traces',
  },
  issuer: {
    test: isIssuer,
    says: 'an https address without query, such as https://accounts.example.com; http only for this machine itself',
  },
  'provider-name': {
    test: (text) => /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text),
    says: 'up to 40 lowercase letters, digits and inner dashes',
  },
  scope: { test: (text) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text), says: 'one word of visible ASCII characters' },
  variable: {
    test: (text) => /^(?!PERGOLA_)[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(text),
    says: 'the name of an environment variable that does not begin with PERGOLA_',
  },
  'role-name': {
    test: (text) => objectNameFault(text) === undefined,
    says: 'the name of a role: lowercase letters, digits and inner dashes',
  },
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '')
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || /[?#]/.test(text) || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
}
