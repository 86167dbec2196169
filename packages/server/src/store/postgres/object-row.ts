import type { StoredObject } from '../store.ts'

/** The columns of an object but its data, of a row called `o`. A bigint arrives as text. */
export const ownedColumns = `o.name, o.uid, o.version, o.generation, o.id >> 20 AS created_at, o.deleted_at, o.stored_as`
export const objectColumns = `${ownedColumns}, o.data`

export interface ObjectRow {
  readonly name: string
  readonly uid: string
  readonly version: string
  readonly generation: string
  readonly created_at: string
  readonly deleted_at: string | null
  readonly stored_as: string
  readonly data: Buffer
}

export function toStoredObject(row: ObjectRow): StoredObject {
  return {
    name: row.name,
    uid: row.uid,
    version: Number(row.version),
    generation: Number(row.generation),
    createdAt: Number(row.created_at),
    ...(row.deleted_at !== null && { deletedAt: Number(row.deleted_at) }),
    storedAs: row.stored_as,
    data: row.data,
  }
}
