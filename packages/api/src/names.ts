/**
 * Naming rules for objects, keys and labels. Each function returns undefined for a valid name, or a message that reads after
 * the name.
 */

const objectName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const keyName = /^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$/

export const maxObjectNameLength = 253
export const maxKeyPrefixLength = 253
export const maxKeyNameLength = 63
export const maxLabelValueLength = 63

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

/** A finalizer is a key whose prefix names its owner, so the prefix is required. */
export function finalizerFault(finalizer: string): string | undefined {
  if (!finalizer.includes('/')) return 'must have the form <prefix>/<name>'
  return keyFault(finalizer)
}

export function labelValueFault(value: string): string | undefined {
  if (value.length > maxLabelValueLength)
    return `has ${value.length} characters; at most ${maxLabelValueLength} are allowed`
  if (value === '' || keyName.test(value)) return undefined
  return 'may contain only letters, digits, "-", "_" and ".", and must start and end with a letter or digit'
}

function prefixFault(prefix: string): string | undefined {
  if (prefix.length > maxKeyPrefixLength)
    return `has a prefix of ${prefix.length} characters; at most ${maxKeyPrefixLength} are allowed`
  if (prefix.split('.').every((label) => objectName.test(label))) return undefined
  return 'needs a prefix that is a domain name: lowercase letters, digits and "-", in parts joined by dots'
}
