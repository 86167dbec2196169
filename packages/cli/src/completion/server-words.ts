import type { JsonSchema } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { chooseServer, clientOf } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { fullName, resourcesNamed } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { createWordCache } from './word-cache.ts'

/** A server that takes longer is treated as away. */
const patienceMs = 1_500
const schemaSeconds = 300
const nameSeconds = 30
const mostNames = 100

/** A field of a resource. */
export interface FieldWord {
  readonly path: string
  readonly description: string
  readonly isIndexed: boolean
  /** Values of an enum. */
  readonly values: readonly string[]
}

/** Words that only the server knows, cached for a while. Each call may throw; completion then shows nothing. */
export interface ServerWords {
  resources(): Promise<readonly KnownResource[]>
  /** Names of objects that start with this text. */
  names(resource: string, start: string): Promise<readonly string[]>
  fields(resource: string): Promise<readonly FieldWord[]>
}

export async function createServerWords(context: CommandContext, options: ServerOptions): Promise<ServerWords> {
  const { variables, version } = context
  const server = await chooseServer(context, options)
  const cache = createWordCache(variables, JSON.stringify([server.url, server.token]))
  const client = () => clientOf(version, server, { timeoutMs: patienceMs })
  const readAll = async () => {
    const { readResources } = await import('../server/resources.ts')
    return readResources(await client())
  }
  const resources = () => cache.get('resources', { seconds: schemaSeconds, read: readAll })
  return {
    resources,
    names: async (named, start) => {
      const resource = theOne(await resources(), named)
      const key = `names ${fullName(resource)} ${start}`
      return cache.get(key, { seconds: nameSeconds, read: async () => readNames(await client(), resource, start) })
    },
    fields: async (named) => {
      const resource = theOne(await resources(), named)
      const key = `fields ${fullName(resource)}`
      return cache.get(key, { seconds: schemaSeconds, read: async () => readFields(await client(), resource) })
    },
  }
}

function theOne(known: readonly KnownResource[], named: string): KnownResource {
  const [found] = resourcesNamed(known, named)
  if (found) return found
  throw new Error(`there is no resource ${named}`)
}

async function readNames(client: Client, resource: KnownResource, start: string): Promise<readonly string[]> {
  if (resource.plural === 'personalaccesstokens') {
    const { items } = (await client.call({ method: 'GET', path: ownTokens })) as { readonly items: readonly Named[] }
    return items.map(({ metadata }) => metadata.name)
  }
  const fieldSelector = start === '' ? undefined : [{ key: 'metadata.name', op: 'prefix' as const, value: start }]
  const query = { size: mostNames, sort: 'metadata.name', fields: ['metadata.name'], fieldSelector }
  const { items } = await client.resource(resource).list(query)
  return items.map(({ metadata }) => metadata.name)
}

interface Named {
  readonly metadata: { readonly name: string }
}

const ownTokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

async function readFields(client: Client, resource: KnownResource): Promise<readonly FieldWord[]> {
  const [{ readSchema }, { holderOf, isObject, resolveSchema }] = await Promise.all([
    import('../objects/read-schema.ts'),
    import('../objects/schema-at.ts'),
  ])
  const { schema, follow } = await readSchema(client, resource)
  const indexed = new Set(resource.indexes.map(({ name }) => name.replaceAll('[]', '')))
  const below = (part: JsonSchema, path: string, depth: number): readonly FieldWord[] => {
    const { properties } = holderOf(part, follow)
    if (!isObject(properties) || depth > 4) return []
    return Object.entries(properties).flatMap(([name, value]) => {
      const found = resolveSchema(value, follow)
      const here = path === '' ? name : `${path}.${name}`
      const { description, enum: values } = found
      const field: FieldWord = {
        path: here,
        description: typeof description === 'string' ? description : '',
        isIndexed: indexed.has(here),
        values: Array.isArray(values) ? values.map(String) : found['type'] === 'boolean' ? ['true', 'false'] : [],
      }
      return [field, ...below(found, here, depth + 1)]
    })
  }
  const fields = below(schema, '', 0)
  const functions = resource.indexes.filter(
    ({ name }) => !fields.some(({ path }) => path === name.replaceAll('[]', '')),
  )
  return [...fields, ...functions.map(({ name }) => ({ path: name, description: '', isIndexed: true, values: [] }))]
}
