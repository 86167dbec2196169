/**
 * Naming rules for models and plugins. Each function returns undefined for a valid name, or a message that reads after the
 * name.
 */

export const maxGroupLength = 200
/** Of kinds, singulars and plurals. */
export const maxModelNameLength = 63

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

/** Rejects `platform.run` and its subdomains. Plugins that ship with the host skip this check. */
export function reservedGroupFault(group: string): string | undefined {
  if (/(^|\.)platform\.run$/.test(group)) return 'is reserved for the host: platform.run and everything below it'
  return undefined
}

export function versionFault(version: string): string | undefined {
  return versionForm.test(version) ? undefined : 'must be like v1, v2beta1 or v1alpha3'
}

export function kindFault(kind: string): string | undefined {
  if (kindForm.test(kind)) return undefined
  return `must begin with a capital and contain only letters and digits, ${maxModelNameLength} at most`
}

/** Checks the singular or plural name of a model. */
export function resourceNameFault(name: string): string | undefined {
  if (nameForm.test(name)) return undefined
  return `must begin with a letter and contain only lowercase letters and digits, ${maxModelNameLength} at most`
}

export function pluginNameFault(name: string): string | undefined {
  if (pluginForm.test(name)) return undefined
  return 'must have 3 to 40 lowercase letters, digits and "-", begin with a letter and end with a letter or digit'
}
