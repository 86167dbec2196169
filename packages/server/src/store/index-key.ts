/**
 * Index keys: strings whose order as UTF-8 bytes is the order of their values. Databases compare them byte by byte (collation
 * C), so numbers, booleans and times sort by value although every key is text.
 */
export type KeyType = 'string' | 'number' | 'boolean' | 'timestamp'

export const maxKeyBytes = 512

export type IndexKey = { readonly key: string } | { readonly fault: string }

/** The key of a JSON value, or its error in words that follow the field's name. */
export function indexKey(type: KeyType, value: string | number | boolean): IndexKey {
  switch (type) {
    case 'string':
      return stringKey(String(value))
    case 'number':
      return numberKey(Number(value))
    case 'boolean':
      return { key: value === true || value === 'true' ? 'true' : 'false' }
    case 'timestamp':
      return timestampKey(String(value))
  }
}

/** The value of a key, for messages. A time is in UTC, whatever the offset that it was sent with. */
export function valueOfKey(type: KeyType, key: string): string | number | boolean {
  switch (type) {
    case 'string':
      return key
    case 'number':
      return numberOf(key)
    case 'boolean':
      return key === 'true'
    case 'timestamp':
      return key.replace(/\.?0*Z$/, 'Z')
  }
}

/** Compares keys as every engine does. JavaScript's `<` compares UTF-16 units and differs beyond U+FFFF. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The smallest key above all keys with the prefix; undefined when there is none. */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (letter) => letter.codePointAt(0) ?? 0)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue
    // Skip the surrogates, U+D800 to U+DFFF: they are not characters.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}

function stringKey(value: string): IndexKey {
  if (value.includes('\0')) return { fault: 'must not contain the character U+0000, because it is indexed' }
  const bytes = Buffer.byteLength(value)
  if (bytes > maxKeyBytes) return { fault: `has ${bytes} bytes; an indexed value may have at most ${maxKeyBytes}` }
  return { key: value }
}

const signBit = 1n << 63n
const allBits = (1n << 64n) - 1n

/**
 * The bits of the double in hexadecimal, with the sign bit set for positive numbers and all bits inverted for negative ones, so
 * that unsigned order is numeric order.
 */
function numberKey(value: number): IndexKey {
  if (!Number.isFinite(value)) return { fault: 'must be a finite number' }
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value === 0 ? 0 : value)
  const bits = view.getBigUint64(0)
  const ordered = bits & signBit ? ~bits & allBits : bits | signBit
  return { key: ordered.toString(16).padStart(16, '0') }
}

function numberOf(key: string): number {
  const ordered = BigInt(`0x${key}`)
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, ordered & signBit ? ordered ^ signBit : ~ordered & allBits)
  return view.getFloat64(0)
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(Z|z|[+-]\d\d:\d\d)$/

/** In UTC with nine fractional digits, so that offsets and precision do not affect the order. */
function timestampKey(value: string): IndexKey {
  const match = rfc3339.exec(value)
  const fraction = match?.[7] ?? ''
  const seconds = match ? Date.parse(value.replace(/[t ]/, 'T').replace(/\.\d+/, '')) : Number.NaN
  if (Number.isNaN(seconds)) return { fault: 'must be a date and time such as 2030-03-01T09:00:00Z' }
  const utc = new Date(seconds).toISOString()
  if (!/^\d{4}-/.test(utc)) return { fault: 'lies outside the years 0000 to 9999' }
  return { key: `${utc.slice(0, 19)}.${fraction.padEnd(9, '0')}Z` }
}
