import type { Client } from '@pergola/client'
import type { KnownResource } from '../server/known-resource.ts'
import { readResources } from '../server/resources.ts'
import type { Schema } from './type-of-schema.ts'

/** A model, or the owned objects of a model. */
export interface DescribedModel extends Pick<
  KnownResource,
  'group' | 'version' | 'kind' | 'singular' | 'plural' | 'indexes'
> {
  readonly isOwn: boolean
}

/** A custom API from the OpenAPI document. */
export interface DescribedRoute {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: Schema
  }[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses?: Readonly<Record<string, { readonly content?: Content } | undefined>>
}

export type Content = Readonly<Record<string, { readonly schema?: Schema } | undefined>>

/** One group and version of a server. */
export interface DescribedVersion {
  readonly group: string
  readonly version: string
  readonly models: readonly DescribedModel[]
  readonly routes: readonly DescribedRoute[]
  /** Schemas by name. */
  readonly schemas: Readonly<Record<string, Schema>>
}

interface OpenApi {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

const ownPrefix = 'uc.api.'
const audiencePrefix = /^(console\.api|uc\.api|api)\./

/** Reads the models, owned objects and custom APIs of the requested groups. */
export async function readDescribedApi(
  client: Pick<Client, 'call'>,
  isWanted: (group: string) => boolean,
): Promise<readonly DescribedVersion[]> {
  const get = (path: string) => client.call({ method: 'GET', path })
  const known = await readResources(client)
  const index = (await get('/openapi/v3')) as { readonly paths: Readonly<Record<string, unknown>> }
  const versions: DescribedVersion[] = []
  for (const path of Object.keys(index.paths).toSorted()) {
    const [root, ...words] = path.split('/')
    if (root !== 'api' && root !== 'apis') continue
    const [group = '', version = ''] = root === 'api' ? ['', ...words] : words
    if (!isWanted(group.replace(audiencePrefix, ''))) continue
    versions.push(describedVersion({ group, version }, known, (await get(`/openapi/v3/${path}`)) as OpenApi))
  }
  return versions
}

function describedVersion(
  { group, version }: Pick<DescribedVersion, 'group' | 'version'>,
  known: readonly KnownResource[],
  { paths = {}, components = {} }: OpenApi,
): DescribedVersion {
  const isOwn = group.startsWith(ownPrefix)
  const base = isOwn ? group.slice(ownPrefix.length) : group
  const models = known
    .filter((model) => model.group === base && model.version === version)
    .filter(({ plural }) => `${rootOf(group, version)}/${plural}/{name}` in paths)
    .map((model) => ({ ...model, group, isOwn }))
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags?.includes('custom') ?? false)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  return { group, version, models, routes, schemas: components.schemas ?? {} }
}

function rootOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`
}
