import type { Cursor, ListQuery, StoredObject, StoredPage } from './store.ts'

export interface PageRow extends StoredObject {
  /** Creation order. */
  readonly id: string
}

/** An engine reads one row more than asked for, which tells whether another page follows. */
export function toPage(rows: readonly PageRow[], total: number, { limit }: ListQuery): StoredPage {
  const items = rows.slice(0, limit).map(({ name, bytes }) => ({ name, bytes }))
  const last = rows[limit - 1]
  if (rows.length <= limit || last === undefined) return { items, total }
  return { items, total, next: last.id as Cursor }
}
