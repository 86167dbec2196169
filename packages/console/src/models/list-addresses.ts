import type { RouteLocationRaw } from 'vue-router'
import type { ListedModel } from './listed-models.ts'

/** The last address of each list, so that the link back from an object keeps filter, order and page. */
const addresses = new Map<string, string>()

interface Of {
  readonly group: string
  readonly version: string
  readonly plural: string
}

const keyOf = ({ group, version, plural }: Of) => `${group}/${version}/${plural}`

export function keepListAddress(of: Of, address: string): void {
  addresses.set(keyOf(of), address)
}

export function listAddress(of: Of): string {
  return addresses.get(keyOf(of)) ?? `/objects/${keyOf(of)}`
}

/** Users, roles and plugins have special pages. */
export function pageOf({ group, version, plural, singular, hasPage }: ListedModel, name: string): RouteLocationRaw {
  if (hasPage) return { name: singular, params: { name } }
  return { name: 'object', params: { group: group || '-', version, plural, name } }
}
