import { isApiError, type JsonSchema } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { KnownResource } from '../server/resources.ts'
import type { Expansion } from './expansion.ts'
import { columnsOf, type Column } from './list-columns.ts'

const components = '#/components/schemas/'

/** Reads the columns from the OpenAPI document of the group; without it, the table shows only names and ages. */
export async function readColumns(
  client: Client,
  resource: KnownResource,
  expansion?: Pick<Expansion, 'columns'>,
): Promise<readonly Column[]> {
  const { path, kind } = resource
  try {
    const document = (await client.call({ method: 'GET', path: `/openapi/v3${path}` })) as {
      readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
    }
    const schemas = document.components?.schemas ?? {}
    const follow = (reference: string) => schemas[reference.replace(components, '').replaceAll('~1', '/')]
    const schema = schemas[kind] ?? {}
    return [...columnsOf(resource, schema, follow), ...(expansion?.columns(schema) ?? [])]
  } catch (error) {
    if (isApiError(error)) return []
    throw error
  }
}
