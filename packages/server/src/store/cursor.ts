import type { Cursor } from './store.ts'

/** The sort keys and the id of the last object of a page, as URL-safe text. */
export function encodeCursor(values: readonly (string | null)[]): Cursor {
  return Buffer.from(JSON.stringify(values)).toString('base64url') as Cursor
}

/** Undefined unless the text is a cursor with that many values. */
export function decodeCursor(cursor: Cursor, length: number): readonly (string | null)[] | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(values) || values.length !== length) return undefined
    return values.every((value) => value === null || typeof value === 'string') ? values : undefined
  } catch {
    return undefined
  }
}
