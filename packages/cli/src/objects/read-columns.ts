import { isApiError } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { KnownResource } from '../server/resources.ts'
import type { Expansion } from './expansion.ts'
import { columnsOf, type Column } from './list-columns.ts'
import { readSchema } from './read-schema.ts'

/** Reads the columns from the OpenAPI document of the group; without it, the table shows only names and ages. */
export async function readColumns(
  client: Client,
  resource: KnownResource,
  expansion?: Pick<Expansion, 'columns'>,
): Promise<readonly Column[]> {
  try {
    const { schema, follow } = await readSchema(client, resource)
    return [...columnsOf(resource, schema, follow), ...(expansion?.columns(schema) ?? [])]
  } catch (error) {
    if (isApiError(error)) return []
    throw error
  }
}
