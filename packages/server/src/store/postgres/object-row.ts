import type { StoredObject } from '../store.ts'

/**
 * An object in two columns. The driver takes 4 µs per column of a result and half of one per value: with eight columns, a page
 * of 20 takes a third longer.
 */
export interface ObjectRow {
  /** Made by `storeFields`. */
  readonly owned: string
  readonly data: Buffer
}

export const objectColumns = `${storeFields({ row: 'o' })} AS owned, o.data`

interface OwnedSource {
  readonly row: string
  /** Expressions to use instead of the columns. */
  readonly id?: string
  readonly version?: string
  readonly generation?: string
}

/**
 * The store's fields of an object, separated by spaces, which no field contains; the time of deletion last, if there is one.
 */
export function storeFields({ row, id = 'id', version = 'version', generation = 'generation' }: OwnedSource): string {
  const columns = ['name', 'uid', version, generation, id, 'stored_as', 'deleted_at']
  return `concat_ws(' ', ${columns.map((column) => `${row}.${column}`).join(', ')})`
}

export function toStoredObject({ owned, data }: ObjectRow): StoredObject {
  return storedObject(owned, data)
}

export function storedObject(owned: string, data: Buffer): StoredObject {
  const [name = '', uid = '', version, generation, id, storedAs = '', deletedAt] = owned.split(' ')
  return {
    name,
    uid,
    version: Number(version),
    generation: Number(generation),
    createdAt: createdAtOf(id ?? ''),
    ...(deletedAt !== undefined && { deletedAt: Number(deletedAt) }),
    storedAs,
    data,
  }
}

export function nameOf({ owned }: Pick<ObjectRow, 'owned'>): string {
  return owned.slice(0, owned.indexOf(' '))
}

export function idOf({ owned }: Pick<ObjectRow, 'owned'>): string {
  return owned.split(' ')[4] ?? ''
}

/** The high bits of an id are milliseconds. */
export function createdAtOf(id: string): number {
  return Number(BigInt(id) >> 20n)
}
