/**
 * Naming rules for objects, keys and labels. Each function returns undefined for a valid name, or a message that reads after
 * the name.
 */

const objectName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const keyName = /^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$/

export const maxObjectNameLength = 253
export const maxKeyPrefixLength = 253
export const maxKeyNameLength = 63
export const maxLabelValueLength = 253
export const maxLabelValueBytes = 512
export const maxFinalizerLength = 253

/** A fault of a name, with its message and what the message says. */
export interface NamingFault {
  readonly message: string
  readonly params: NamingParams
}

/** `form`: characters that are not allowed; `prefix-…`: in the prefix of a key. */
export type NamingParams =
  | { readonly fault: 'form' | 'prefix-form' | 'control' | 'space' | 'duplicate' | 'forbidden' }
  | { readonly fault: 'length' | 'bytes' | 'prefix-length'; readonly actual: number; readonly limit: number }

/** The rules that `namingFault` checks. */
export type NamingRule = 'name' | 'key' | 'labelValue' | 'finalizer'

export function namingFault(rule: NamingRule, text: string): NamingFault | undefined {
  return namingFaults[rule](text)
}

export function objectNameFault(name: string): string | undefined {
  return namingFault('name', name)?.message
}

/** A label or annotation key: `[<prefix>/]<name>`. */
export function keyFault(key: string): string | undefined {
  return namingFault('key', key)?.message
}

/** Any printable text without spaces; a prefix that names its owner is a convention. */
export function finalizerFault(finalizer: string): string | undefined {
  return namingFault('finalizer', finalizer)?.message
}

export function labelValueFault(value: string): string | undefined {
  return namingFault('labelValue', value)?.message
}

/** Says why plugins may not use this key. The key must have passed `keyFault`. */
export function reservedKeyFault(key: string): string | undefined {
  const slash = key.indexOf('/')
  if (slash < 0) return 'has no prefix; keys without one are not for plugins'
  const prefix = key.slice(0, slash)
  if (prefix !== 'platform.run' && !prefix.endsWith('.platform.run')) return undefined
  return `has the prefix ${prefix}, which is not for plugins`
}

/** Finalizers of the host, which clients neither add nor remove. */
export function isHostFinalizer(finalizer: string): boolean {
  return finalizer.startsWith('platform.run/')
}

const namingFaults: Readonly<Record<NamingRule, (text: string) => NamingFault | undefined>> = {
  name: (name) => {
    if (name.length > maxObjectNameLength) return tooLong('length', name.length, maxObjectNameLength)
    if (objectName.test(name)) return undefined
    return malformed(
      'may contain only lowercase letters, digits and "-", and must start and end with a letter or digit',
    )
  },
  key: (key) => {
    const slash = key.indexOf('/')
    const name = key.slice(slash + 1)
    const fault = slash < 0 ? undefined : prefixFault(key.slice(0, slash))
    if (fault) return fault
    if (name.length > maxKeyNameLength) {
      const message = `has a name of ${name.length} characters; at most ${maxKeyNameLength} are allowed`
      return { message, params: { fault: 'length', actual: name.length, limit: maxKeyNameLength } }
    }
    if (keyName.test(name)) return undefined
    return malformed('needs a name of letters, digits, "-", "_" and "." that starts and ends with a letter or digit')
  },
  labelValue: (value) => {
    const { length } = Array.from(value)
    if (length > maxLabelValueLength) return tooLong('length', length, maxLabelValueLength)
    const bytes = utf8Length(value)
    if (bytes > maxLabelValueBytes) return tooLong('bytes', bytes, maxLabelValueBytes)
    if (/\p{Cc}/u.test(value)) return malformed('must not contain control characters', 'control')
    return /^\s|\s$/u.test(value) ? malformed('must not begin or end with a space', 'space') : undefined
  },
  finalizer: (finalizer) => {
    if (finalizer.length > maxFinalizerLength) return tooLong('length', finalizer.length, maxFinalizerLength)
    if (/^[^\s\p{C}]+$/u.test(finalizer)) return undefined
    return malformed('must be a text of printable characters without spaces')
  },
}

function tooLong(fault: 'length' | 'bytes', actual: number, limit: number): NamingFault {
  const unit = fault === 'length' ? 'characters' : 'bytes'
  return { message: `has ${actual} ${unit}; at most ${limit} are allowed`, params: { fault, actual, limit } }
}

function malformed(message: string, fault: 'form' | 'prefix-form' | 'control' | 'space' = 'form'): NamingFault {
  return { message, params: { fault } }
}

function utf8Length(text: string): number {
  return Array.from(text).reduce((sum, character) => {
    const point = character.codePointAt(0) ?? 0
    return sum + (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)
  }, 0)
}

function prefixFault(prefix: string): NamingFault | undefined {
  if (prefix.length > maxKeyPrefixLength) {
    const message = `has a prefix of ${prefix.length} characters; at most ${maxKeyPrefixLength} are allowed`
    return { message, params: { fault: 'prefix-length', actual: prefix.length, limit: maxKeyPrefixLength } }
  }
  if (prefix.split('.').every((label) => objectName.test(label))) return undefined
  const message = 'needs a prefix that is a domain name: lowercase letters, digits and "-", in parts joined by dots'
  return malformed(message, 'prefix-form')
}
