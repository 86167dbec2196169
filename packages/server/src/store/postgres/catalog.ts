import type { ClientBase, Pool } from 'pg'
import type { ModelDeclaration, ModelKey } from '../store.ts'
import { assertDeclared, keyOf, slotsOf, type ModelTable } from '../model-table.ts'
import { createTableSql } from './table-sql.ts'
import { inTransaction } from './transaction.ts'
import { writeStatements, type WriteStatements } from './write-sql.ts'

/** A model that is open: where it lives, and its statements. */
export interface OpenModel {
  readonly table: ModelTable
  readonly statements: WriteStatements
}

/** Which models there are and where they live: the `models` table, and what this process knows of it. */
export interface Catalog {
  open(declaration: ModelDeclaration): Promise<void>
  /** Throws for a model that was not opened: that is a mistake in the program. */
  find(model: ModelKey): OpenModel
  /** Open or not. */
  byId(id: number): Promise<ModelTable>
}

interface ModelRow {
  readonly id: number
  readonly generation: number
  readonly indexes: ModelTable['indexes']
  readonly composites: ModelTable['composites']
}

export function createCatalog(pool: Pool): Catalog {
  const models = new Map<string, OpenModel>()
  const others = new Map<number, ModelTable>()
  return {
    open: async (declaration) => {
      const table = await inTransaction(pool, (client) => findOrCreate(client, declaration))
      models.set(keyOf(declaration), { table, statements: writeStatements(table) })
    },
    find: (model) => {
      const found = models.get(keyOf(model))
      if (!found) throw new Error(`the model ${keyOf(model)} is not open`)
      return found
    },
    byId: async (id) => {
      const open = [...models.values()].find(({ table }) => table.id === id)?.table
      const table = open ?? others.get(id) ?? (await readTable(pool, id))
      if (!open) others.set(id, table)
      return table
    },
  }
}

async function readTable(pool: Pool, id: number): Promise<ModelTable> {
  const { rows } = await pool.query<ModelRow & { group: string; plural: string }>(
    'SELECT id, group_name AS group, plural, generation, indexes, composites FROM models WHERE id = $1',
    [id],
  )
  const [row] = rows
  if (!row) throw new Error(`there is no model ${id} in the catalog`)
  return row
}

async function findOrCreate(client: ClientBase, declaration: ModelDeclaration): Promise<ModelTable> {
  const { group, plural } = declaration
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [keyOf(declaration)])
  const { rows } = await client.query<ModelRow>(
    'SELECT id, generation, indexes, composites FROM models WHERE group_name = $1 AND plural = $2',
    [group, plural],
  )
  const [row] = rows
  if (!row) return create(client, declaration)
  const table = { group, plural, ...row }
  assertDeclared(table, declaration)
  return table
}

async function create(client: ClientBase, declaration: ModelDeclaration): Promise<ModelTable> {
  const { group, plural, composites = [] } = declaration
  const slots = slotsOf(declaration)
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO models (group_name, plural, generation, indexes, composites) VALUES ($1, $2, 1, $3, $4) RETURNING id`,
    [group, plural, JSON.stringify(slots), JSON.stringify(composites)],
  )
  const table: ModelTable = { group, plural, id: rows[0]?.id ?? 0, generation: 1, indexes: slots, composites }
  await client.query(createTableSql(table))
  return table
}
