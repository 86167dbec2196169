import type { JsonSchema } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { KnownResource } from '../server/known-resource.ts'
import type { FollowReference } from './schema-at.ts'

const components = '#/components/schemas/'

export interface ReadSchema {
  /** Schema of the objects; empty if the document does not have it. */
  readonly schema: JsonSchema
  readonly follow: FollowReference
}

/** Reads the schema of a resource from the OpenAPI document of its group. */
export async function readSchema(
  client: Pick<Client, 'call'>,
  { path, kind }: Pick<KnownResource, 'path' | 'kind'>,
): Promise<ReadSchema> {
  const document = (await client.call({ method: 'GET', path: `/openapi/v3${path}` })) as {
    readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
  }
  const schemas = document.components?.schemas ?? {}
  const follow = (reference: string) => schemas[reference.replace(components, '').replaceAll('~1', '/')]
  return { schema: schemas[kind] ?? {}, follow }
}
