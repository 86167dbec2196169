import { isApiError } from '@pergola/api'
import type { ApiObject, Client } from '@pergola/client'
import { inOrder } from './in-order.ts'
import type { KnownResource } from '../server/known-resource.ts'

/** Limits of names per request, because they are part of the URL. */
const mostNames = 100
const mostCharacters = 4_000
const atATime = 8

/** Reads objects by name; omits those that do not exist. */
export async function storedObjects(
  client: Client,
  resource: KnownResource,
  names: readonly string[],
): Promise<ReadonlyMap<string, ApiObject>> {
  const found = new Map<string, ApiObject>()
  const take = (objects: readonly ApiObject[]) => {
    for (const object of objects) found.set(object.metadata.name, object)
  }
  try {
    if (hidesData(resource)) take(await getEach(client, resource, names))
    else
      for await (const objects of inOrder(chunksOf(names), atATime, (some) => listSome(client, resource, some)))
        take(objects)
  } catch (error) {
    // The caller may lack `list` but have `get`.
    if (!isApiError(error) || error.reason !== 'Forbidden') throw error
    take(await getEach(client, resource, names))
  }
  return found
}

/** True for secrets: lists and write responses omit their data; only `get` returns it. */
export function hidesData({ group, plural }: Pick<KnownResource, 'group' | 'plural'>): boolean {
  return group === '' && plural === 'secrets'
}

async function listSome(
  client: Client,
  resource: KnownResource,
  names: readonly string[],
): Promise<readonly ApiObject[]> {
  const fieldSelector = [{ key: 'metadata.name', op: 'in' as const, values: names }]
  const { items } = await client.resource(resource).list({ fieldSelector, size: names.length })
  return items
}

async function getEach(
  client: Client,
  resource: KnownResource,
  names: readonly string[],
): Promise<readonly ApiObject[]> {
  const found: ApiObject[] = []
  for await (const object of inOrder(names, atATime, (name) => getStored(client, resource, name))) {
    if (object) found.push(object)
  }
  return found
}

export async function getStored(client: Client, resource: KnownResource, name: string): Promise<ApiObject | undefined> {
  try {
    return await client.resource(resource).get(name)
  } catch (error) {
    if (isApiError(error) && error.reason === 'NotFound') return undefined
    throw error
  }
}

function chunksOf(names: readonly string[]): readonly (readonly string[])[] {
  const chunks: string[][] = []
  let characters = 0
  for (const name of names) {
    const last = chunks.at(-1)
    characters += name.length + 1
    if (last && last.length < mostNames && characters <= mostCharacters) last.push(name)
    else {
      chunks.push([name])
      characters = name.length
    }
  }
  return chunks
}
