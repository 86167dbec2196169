import type { StoredObject } from '../store.ts'

/**
 * An object as two columns. The driver takes 4 µs for each column of an answer and half of one for each value: in eight
 * columns a page of 20 takes it a third longer.
 */
export interface ObjectRow {
  /** By `ownedText`. */
  readonly owned: string
  /** By `dataText`. */
  readonly data: string
}

export const objectColumns = `${ownedText({ row: 'o' })} AS owned, ${dataText('o.data')} AS data`

interface OwnedSource {
  readonly row: string
  /** What to say instead of a column. */
  readonly id?: string
  readonly version?: string
  readonly generation?: string
}

/** What the store knows of an object, separated by spaces, which no part has; the time of deletion last, where there is one. */
export function ownedText({ row, id = 'id', version = 'version', generation = 'generation' }: OwnedSource): string {
  const columns = ['name', 'uid', version, generation, id, 'stored_as', 'deleted_at']
  return `concat_ws(' ', ${columns.map((column) => `${row}.${column}`).join(', ')})`
}

/**
 * Bytes come as text, one character for each: in PostgreSQL's own text of bytes they come twice as long, and an object of
 * 600 bytes takes 5 µs more to read. What text cannot hold is NUL.
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

/** An id begins with the milliseconds. */
export function createdAtOf(id: string): number {
  return Number(BigInt(id) >> 20n)
}
