import { hidesData } from '../objects/stored-objects.ts'
import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { findResource } from '../server/resources.ts'
import { usedWrongly } from '../terminal/command-fault.ts'

/** Installing a plugin again is more than an object. */
const neverWhole = new Set(['plugins.plugin.platform.run'])
/** Models before their objects, users and roles before bindings. */
const order = ['models.plugin.platform.run', 'users', 'roles', 'rolebindings', 'configmaps']

/** The named resources, or all that an import can create, in the order in which it has to. */
export function exportedResources(
  known: readonly KnownResource[],
  named: readonly string[],
  { all = false }: { readonly all?: boolean },
): readonly KnownResource[] {
  if (all === named.length > 0) throw usedWrongly('say what is to be exported: names of resources, or --all')
  const found = all ? known.filter(isWhole) : named.map((name) => findResource(known, name))
  return [...new Set(found)].toSorted((one, other) => placeOf(one) - placeOf(other))
}

function placeOf(resource: KnownResource): number {
  const place = order.indexOf(fullName(resource))
  return place < 0 ? order.length : place
}

function isWhole(resource: KnownResource): boolean {
  const { verbs = [] } = resource
  return verbs.includes('create') && !hidesData(resource) && !neverWhole.has(fullName(resource))
}
