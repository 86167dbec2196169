import type { Cursor } from './store.ts'

/** The sort keys and the id of the last object of a page, as a word that can travel in a URL. */
export function encodeCursor(values: readonly (string | null)[]): Cursor {
  return Buffer.from(JSON.stringify(values)).toString('base64url') as Cursor
}

/** Undefined for what is no cursor of that many values. */
export function decodeCursor(cursor: Cursor, length: number): readonly (string | null)[] | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(values) || values.length !== length) return undefined
    return values.every((value) => value === null || typeof value === 'string') ? values : undefined
  } catch {
    return undefined
  }
}
