/** Key of the method of a `Store` that runs SQL. Only files under `store/` may import this file. */
export const sql: unique symbol = Symbol('sql')

/** In SQL that both engines understand; parameters are `$1` and so on. Made by the functions in `records/`. */
export type SqlStatement = Readonly<{
  text: string
  values: readonly SqlValue[]
  /** For a statement that runs often: engines may keep it prepared under this name, which must be unique to the text. */
  name?: string
}> & { readonly __sql: never }

/** A bigint is a string or a number, depending on the engine. */
export type SqlRow = Readonly<Record<string, SqlValue>>

type SqlValue = string | number | Buffer | null

export function statement(text: string, values: readonly SqlValue[] = [], name?: string): SqlStatement {
  return { text, values, ...(name !== undefined && { name }) } as SqlStatement
}
