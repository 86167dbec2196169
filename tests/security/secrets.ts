import { createHash } from 'node:crypto'
import type { DumpedValue } from './dump.ts'

/** Bytes that must not appear in a dump. */
interface Trace {
  readonly what: string
  readonly bytes: Buffer
}

/** A secret in several encodings, its first characters, and its digest in several notations. */
export function tracesOf(what: string, secret: string): readonly Trace[] {
  const digest = createHash('sha256').update(secret).digest()
  return [
    { what, bytes: Buffer.from(secret) },
    { what: `${what}, encoded`, bytes: Buffer.from(encodeURIComponent(secret)) },
    { what: `${what}, in base64`, bytes: Buffer.from(Buffer.from(secret).toString('base64').replaceAll('=', '')) },
    { what: `${what}, in hex`, bytes: Buffer.from(Buffer.from(secret).toString('hex')) },
    { what: `the beginning of ${what}`, bytes: Buffer.from(secret.slice(0, 14)) },
    ...notations(`the digest of ${what}`, digest),
  ]
}

/** `$argon2id$...$<salt>$<tag>`. */
export function tracesOfHash(hash: string): readonly Trace[] {
  const [salt = '', tag = ''] = hash.split('$').slice(-2)
  return [
    { what: 'a password hash', bytes: Buffer.from(hash) },
    { what: 'the kind of password hashes', bytes: Buffer.from('$argon2') },
    ...notations('the salt of a password', Buffer.from(salt, 'base64')),
    ...notations('the tag of a password', Buffer.from(tag, 'base64')),
  ]
}

function notations(what: string, bytes: Buffer): readonly Trace[] {
  const texts = [bytes.toString('base64url'), bytes.toString('base64').replaceAll('=', ''), bytes.toString('hex')]
  return [
    ...texts.map((text) => ({ what, bytes: Buffer.from(text) })),
    { what: `${what}, in capitals`, bytes: Buffer.from(bytes.toString('hex').toUpperCase()) },
    { what: `${what}, as bytes`, bytes },
  ]
}

/** Matches any session, token or setup secret. */
const anySecret = /pg[lsi]_[\w-]{8,}/

/** Describes where traces are found; empty if nowhere. */
export function findTraces(traces: readonly Trace[], values: readonly DumpedValue[]): readonly string[] {
  const found = values.flatMap(({ where, bytes }) => [
    ...traces.filter((trace) => bytes.includes(trace.bytes)).map(({ what }) => `${what} in ${where}`),
    ...(anySecret.test(bytes.toString('latin1')) ? [`a secret in ${where}`] : []),
  ])
  return [...new Set(found)]
}
