/** What models and plugins may be called. Each function answers with what is wrong, in words that follow the name, or undefined. */

const maxGroupLength = 200

const dnsLabel = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?'
const groupForm = new RegExp(`^${dnsLabel}(\\.${dnsLabel})+$`)
const versionForm = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/
const kindForm = /^[A-Z][A-Za-z0-9]{0,62}$/
const nameForm = /^[a-z][a-z0-9]{0,62}$/
const pluginForm = /^[a-z][a-z0-9-]{1,38}[a-z0-9]$/

export function groupFault(group: string): string | undefined {
  if (group.length <= maxGroupLength && groupForm.test(group)) return undefined
  return `must be a domain name such as todo.example.com, of at most ${maxGroupLength} characters`
}

/** Groups that no plugin may have, but for those that come with the host. */
export function reservedGroupFault(group: string): string | undefined {
  if (/(^|\.)platform\.run$/.test(group)) return 'is reserved for the host: platform.run and everything below it'
  return undefined
}

export function versionFault(version: string): string | undefined {
  return versionForm.test(version) ? undefined : 'must be like v1, v2beta1 or v1alpha3'
}

export function kindFault(kind: string): string | undefined {
  if (kindForm.test(kind)) return undefined
  return 'must begin with a capital and hold only letters and digits, 63 at most'
}

/** Singular or plural. */
export function resourceNameFault(name: string): string | undefined {
  if (nameForm.test(name)) return undefined
  return 'must begin with a letter and hold only lowercase letters and digits, 63 at most'
}

export function pluginNameFault(name: string): string | undefined {
  if (pluginForm.test(name)) return undefined
  return 'must have 3 to 40 lowercase letters, digits and "-", begin with a letter and end with a letter or digit'
}
