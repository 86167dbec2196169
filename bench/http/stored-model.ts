import type { Pool } from 'pg'
import { createCatalog, type OpenModel } from '../../packages/server/src/store/postgres/catalog.ts'
import type { CompositePart, IndexDeclaration } from '../../packages/server/src/store/store.ts'

export type { OpenModel }

interface ModelRow {
  readonly group_name: string
  readonly edition: string
  readonly indexes: readonly IndexDeclaration[]
  readonly composites: readonly { readonly parts: readonly CompositePart[] }[]
}

/** The table of a model that a host has registered, and the statements that its store uses for it. */
export async function openStoredModel(pool: Pool, plural: string): Promise<OpenModel> {
  const { rows } = await pool.query<ModelRow>('SELECT * FROM models WHERE plural = $1', [plural])
  const [row] = rows
  if (!row) throw new Error(`there is no model ${plural}`)
  const catalog = createCatalog(pool)
  const key = { group: row.group_name, plural }
  await catalog.open({
    ...key,
    edition: Number(row.edition),
    indexes: row.indexes,
    composites: row.composites.map(({ parts }) => parts),
  })
  return catalog.find(key)
}
