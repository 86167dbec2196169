import type { StoredObject } from '../store.ts'

/**
 * An object in two columns. The driver takes 4 µs per column of a result and half of one per value: with eight columns, a page
 * of 20 takes a third longer.
 */
export interface ObjectRow {
  /** Made by `storeFields`. */
  readonly owned: string
  /** Made by `dataText`. */
  readonly data: string
}

export const objectColumns = `${storeFields({ row: 'o' })} AS owned, ${dataText('o.data')} AS data`

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

/**
 * Returns bytes as text, one character each: PostgreSQL's own text form is twice as long, and takes 5 µs more to read for an
 * object of 600 bytes. NUL cannot be represented.
 */
export function dataText(column: string): string {
  return `convert_from(${column}, 'LATIN1')`
}

export function toStoredObject({ owned, data }: ObjectRow): StoredObject {
  return storedObject(owned, Buffer.from(data, 'latin1'))
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
