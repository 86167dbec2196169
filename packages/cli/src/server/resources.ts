import type { Client } from '@pergola/client'
import { usedWrongly } from '../terminal/command-fault.ts'
import type { KnownResource } from './known-resource.ts'
import { nearestOf } from './nearest.ts'
import { fullName, resourcesNamed } from './resource-names.ts'

interface Discovery {
  readonly groups: readonly {
    readonly name: string
    readonly versions: readonly {
      readonly name: string
      readonly path: string
      readonly models: readonly Omit<KnownResource, 'group' | 'version' | 'path'>[]
    }[]
  }[]
}

export async function readResources(client: Pick<Client, 'call'>): Promise<readonly KnownResource[]> {
  const { groups } = (await client.call({ method: 'GET', path: '/apis' })) as Discovery
  return groups.flatMap(({ name: group, versions }) =>
    versions.flatMap(({ name: version, path, models }) =>
      models.map((model) => Object.assign({ group, version, path }, model)),
    ),
  )
}

/**
 * Finds a resource by plural or singular, optionally with a group. A bare name of a core resource always means the core
 * resource, so no plugin can take it over. A bare name that exists in several groups needs the group.
 */
export function findResource(known: readonly KnownResource[], named: string): KnownResource {
  const [first, ...more] = resourcesNamed(known, named)
  if (first && more.length === 0) return first
  if (first) {
    const names = [first, ...more].map(fullName).join(', ')
    throw usedWrongly(`"${named}" is in several groups; say which one: ${names}`)
  }
  throw usedWrongly(`there is no resource "${named}"${nearestWords(known, named)}`)
}

function nearestWords(known: readonly KnownResource[], named: string): string {
  const names = known.flatMap((one) => [one.plural, one.singular, fullName(one)])
  const near = nearestOf(named, [...new Set(names)])
  if (near.length > 0) return `; did you mean ${near.join(' or ')}?`
  return `; there are ${[...new Set(known.map(fullName))].toSorted().join(', ')}`
}
