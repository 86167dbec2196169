import type { ObjectContent, StoredObject, UpdatedContent } from '../store.ts'
import { setsBySlot } from '../indexed-values.ts'
import { columnOf, singles, type KeyColumn, type ModelTable } from '../model-table.ts'
import { createdAtOf } from './object-ids.ts'

/** An object as a row of its table. */
export type ObjectRow = ContentColumns & {
  readonly id: number
  readonly name: string
  readonly uid: string
  readonly version: number
  readonly generation: number
  readonly deleted_at: number | null
}

/** Columns derived from an object's content. Labels and sets are JSON in a fixed order: equal texts are equal values. */
export type ContentColumns = Readonly<Record<KeyColumn, string | null>> & {
  readonly index_generation: number
  readonly held: 0 | 1
  readonly stored_as: string
  readonly labels: string
  /** Values by slot; the empty set has no slot. */
  readonly sets: string
  readonly data: Buffer
}

type StoredColumn = 'id' | 'name' | 'uid' | 'version' | 'generation' | 'deleted_at' | 'stored_as' | 'data'

export function toStoredObject(row: Pick<ObjectRow, StoredColumn>): StoredObject {
  return {
    name: row.name,
    uid: row.uid,
    version: row.version,
    generation: row.generation,
    createdAt: createdAtOf(row.id),
    ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
    storedAs: row.stored_as,
    data: row.data,
  }
}

export function contentColumns(model: ModelTable, { data, storedAs, held, indexed }: ObjectContent): ContentColumns {
  const labels = Object.entries(indexed.labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    ...Object.fromEntries(singles(model).map(({ name, slot }) => [columnOf(slot), indexed.single[name] ?? null])),
    index_generation: model.generation,
    held: held ? 1 : 0,
    stored_as: storedAs,
    labels: JSON.stringify(Object.fromEntries(labels)),
    sets: JSON.stringify(setsBySlot(model, indexed.multi)),
    data,
  }
}

/** Omits the columns of indexed values that are kept. */
export function updatedColumns(model: ModelTable, { indexed, ...content }: UpdatedContent): Partial<ContentColumns> {
  if (indexed !== 'kept') return contentColumns(model, { indexed, ...content })
  return { held: content.held ? 1 : 0, stored_as: content.storedAs, data: content.data }
}

/**
 * The single-value keys as an array over the columns, so that a change can be read without its table. Includes keys of former
 * indexes only for a row written when they existed.
 */
export function keysOf(model: ModelTable, row: ContentColumns): string {
  const used = new Set(singles(model).map(({ slot }) => slot))
  const current = row.index_generation === model.generation
  return JSON.stringify(
    model.columns.map((slot) => (current && !used.has(slot) ? null : (row[columnOf(slot)] ?? null))),
  )
}
