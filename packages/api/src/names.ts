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

export function objectNameFault(name: string): string | undefined {
  if (name.length > maxObjectNameLength)
    return `has ${name.length} characters; at most ${maxObjectNameLength} are allowed`
  if (objectName.test(name)) return undefined
  return 'may contain only lowercase letters, digits and "-", and must start and end with a letter or digit'
}

/** A label or annotation key: `[<prefix>/]<name>`. */
export function keyFault(key: string): string | undefined {
  const slash = key.indexOf('/')
  const name = key.slice(slash + 1)
  if (slash >= 0) {
    const fault = prefixFault(key.slice(0, slash))
    if (fault) return fault
  }
  if (name.length > maxKeyNameLength)
    return `has a name of ${name.length} characters; at most ${maxKeyNameLength} are allowed`
  if (keyName.test(name)) return undefined
  return 'needs a name of letters, digits, "-", "_" and "." that starts and ends with a letter or digit'
}

/** Says why plugins may not use this key. The key must have passed `keyFault`. */
export function reservedKeyFault(key: string): string | undefined {
  const slash = key.indexOf('/')
  if (slash < 0) return 'has no prefix; keys without one are not for plugins'
  const prefix = key.slice(0, slash)
  if (prefix !== 'platform.run' && !prefix.endsWith('.platform.run')) return undefined
  return `has the prefix ${prefix}, which is not for plugins`
}

/** Any printable text without spaces; a prefix that names its owner is a convention. */
export function finalizerFault(finalizer: string): string | undefined {
  if (finalizer.length > maxFinalizerLength)
    return `has ${finalizer.length} characters; at most ${maxFinalizerLength} are allowed`
  if (/^[^\s\p{C}]+$/u.test(finalizer)) return undefined
  return 'must be a text of printable characters without spaces'
}

/** Finalizers of the host, which clients neither add nor remove. */
export function isHostFinalizer(finalizer: string): boolean {
  return finalizer.startsWith('platform.run/')
}

export function labelValueFault(value: string): string | undefined {
  const { length } = Array.from(value)
  if (length > maxLabelValueLength) return `has ${length} characters; at most ${maxLabelValueLength} are allowed`
  const bytes = utf8Length(value)
  if (bytes > maxLabelValueBytes) return `has ${bytes} bytes; at most ${maxLabelValueBytes} are allowed`
  if (/\p{Cc}/u.test(value)) return 'must not contain control characters'
  return /^\s|\s$/u.test(value) ? 'must not begin or end with a space' : undefined
}

function utf8Length(text: string): number {
  return Array.from(text).reduce((sum, character) => {
    const point = character.codePointAt(0) ?? 0
    return sum + (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)
  }, 0)
}

function prefixFault(prefix: string): string | undefined {
  if (prefix.length > maxKeyPrefixLength)
    return `has a prefix of ${prefix.length} characters; at most ${maxKeyPrefixLength} are allowed`
  if (prefix.split('.').every((label) => objectName.test(label))) return undefined
  return 'needs a prefix that is a domain name: lowercase letters, digits and "-", in parts joined by dots'
}
