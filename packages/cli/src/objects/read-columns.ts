import { isApiError } from '@pergola/api'
import type { Client } from '@pergola/client'
import type { KnownResource } from '../server/known-resource.ts'
import type { Expansion } from './expansion.ts'
import { leafPaths } from './field-columns.ts'
import { columnPaths, columnsAt, type Column } from './list-columns.ts'
import { readSchema } from './read-schema.ts'

/** Reads the columns from the OpenAPI document of the group; without it, the table shows only names and ages. */
export async function readColumns(
  client: Client,
  resource: KnownResource,
  { expansion, isWide }: { readonly expansion?: Pick<Expansion, 'columns'> | undefined; readonly isWide: boolean },
): Promise<readonly Column[]> {
  try {
    const read = await readSchema(client, resource)
    const paths = [...columnPaths(resource, read), ...(isWide ? leafPaths(read) : [])]
    return [...columnsAt([...new Set(paths)], read), ...(expansion?.columns(read.schema) ?? [])]
  } catch (error) {
    if (isApiError(error)) return []
    throw error
  }
}
