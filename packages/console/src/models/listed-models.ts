import type { ModelDisplay } from '@pergola/api'
import { client } from '../server/client.ts'

interface IndexedField {
  readonly name: string
  readonly type: string
  readonly multi: boolean
  readonly unique: boolean
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
  /** It belongs to the host itself. */
  readonly isOwn: boolean
  /** It has a page made for it. */
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

export async function listModels(signal?: AbortSignal): Promise<readonly ListedModel[]> {
  const { groups } = (await client.call({ method: 'GET', path: '/apis', signal })) as Discovery
  return groups.flatMap(({ name: group, versions }) =>
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
}
