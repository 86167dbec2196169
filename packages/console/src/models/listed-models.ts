import type { ModelDisplay, ReferenceTarget } from '@pergola/api'
import { useQuery, type UseQueryReturnType } from '@tanstack/vue-query'
import { client } from '../server/client.ts'

interface IndexedField {
  readonly name: string
  readonly type: string
  readonly multi: boolean
  readonly unique: boolean
  readonly refersTo?: ReferenceTarget
}

/** A model as the server lists it. */
export interface ListedModel {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly statusSubresource: boolean
  readonly verbs: readonly string[]
  readonly indexes: readonly IndexedField[]
  readonly display?: ModelDisplay
  /** A model of the host, not of a plugin. */
  readonly isOwn: boolean
  /** The console has a special page for it. */
  readonly hasPage: boolean
}

interface Discovery {
  readonly groups: readonly {
    readonly name: string
    readonly versions: readonly {
      readonly name: string
      readonly models: readonly Omit<ListedModel, 'group' | 'version' | 'isOwn' | 'hasPage'>[]
    }[]
  }[]
}

const withPages = new Set(['/users', '/roles', 'plugin.platform.run/plugins'])

let latest: { readonly at: number; readonly models: readonly ListedModel[] } | undefined

/** The models; starts with the list that the menu has just read. */
export function useModels(): UseQueryReturnType<readonly ListedModel[], Error> {
  return useQuery({
    queryKey: ['models'],
    queryFn: async ({ signal }) => listModels(signal),
    initialData: () => latest?.models,
    initialDataUpdatedAt: () => latest?.at,
  })
}

export async function listModels(signal?: AbortSignal): Promise<readonly ListedModel[]> {
  const { groups } = (await client.call({ method: 'GET', path: '/apis', signal })) as Discovery
  const listed = groups.flatMap(({ name: group, versions }) =>
    versions.flatMap(({ name: version, models }) =>
      models.map((model) => ({
        ...model,
        group,
        version,
        isOwn: group === '' || group.endsWith('platform.run'),
        hasPage: withPages.has(`${group}/${model.plural}`),
      })),
    ),
  )
  latest = { at: Date.now(), models: listed }
  return listed
}
