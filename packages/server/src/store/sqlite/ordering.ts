import { decodeCursor, encodeCursor } from '../cursor.ts'
import type { Cursor, ListQuery } from '../store.ts'
import type { ModelTable } from './model-table.ts'
import type { Parameters } from './parameters.ts'
import { fieldOf } from './predicates.ts'

/** One column of a total order. The last one, and no other, is never null: name or id, which never repeat. */
export interface OrderColumn {
  /** Of the row `o`. */
  readonly column: string
  readonly type: 'text' | 'integer'
  readonly descending: boolean
  readonly nullable: boolean
}

/** The sort as columns, up to one that tells all objects apart; creation order takes the direction of the last key. */
export function orderOf(model: ModelTable, sort: NonNullable<ListQuery['sort']> = []): readonly OrderColumn[] {
  const columns: OrderColumn[] = []
  for (const { field: name, descending } of sort) {
    const field = fieldOf(model, name)
    if (field.kind === 'set') throw new Error(`${model.plural} cannot be sorted by the set "${name}"`)
    const { kind, column, nullable } = field
    if (columns.some((before) => before.column === column)) continue
    columns.push({ column, type: kind === 'text' ? 'text' : 'integer', descending, nullable })
    if (!nullable) return columns
  }
  const descending = sort.at(-1)?.descending ?? true
  return [...columns, { column: 'id', type: 'integer', descending, nullable: false }]
}

/** SQLite takes null to be the smallest value, so an object without one sorts first ascending and last descending. */
export function orderBy(order: readonly OrderColumn[]): string {
  return order.map(({ column, descending }) => `o.${column} ${descending ? 'DESC' : 'ASC'}`).join(', ')
}

/** The sort keys of the last object of a page. */
export type Place = readonly (string | number | null)[]

export function cursorOf(place: Place): Cursor {
  return encodeCursor(place.map((value) => (value === null ? null : String(value))))
}

/** Undefined for a cursor of another order, as far as that can be seen. */
export function placeOf(order: readonly OrderColumn[], cursor: Cursor): Place | undefined {
  const values = decodeCursor(cursor, order.length)
  const place = values?.map((value, at) => (value !== null && order[at]?.type === 'integer' ? Number(value) : value))
  const fits = order.every(({ type, nullable }, at) => {
    const value = place?.[at]
    return value === null ? nullable : type === 'text' || Number.isSafeInteger(value)
  })
  return fits ? place : undefined
}

/**
 * What lies behind the place, as conditions to be read one after the other: each is one range of an index, while their
 * union would be none, and of a comparison of row values SQLite searches by the first column only.
 */
export function segmentsAfter(
  order: readonly OrderColumn[],
  place: Place | undefined,
  parameters: Parameters,
): readonly string[] {
  if (place === undefined) return segmentsFromStart(order)
  const values = order.map((_, at) => {
    const value = place[at] ?? null
    return value === null ? null : parameters.add(value)
  })
  const same = order.map(({ column }, at) =>
    values[at] === null ? `o.${column} IS NULL` : `o.${column} = ${values[at]}`,
  )
  const segments = order.map((column, at) =>
    beyond(column, values[at] ?? null).map((further) => [...same.slice(0, at), further].join(' AND ')),
  )
  return segments.toReversed().flat()
}

/** Only where the index leaves the nulls out are they a segment of their own from the start. */
function segmentsFromStart([first]: readonly OrderColumn[]): readonly string[] {
  if (first?.column !== 'deleted_at') return ['true']
  const segments = ['o.deleted_at IS NULL', 'o.deleted_at IS NOT NULL']
  return first.descending ? segments.toReversed() : segments
}

function beyond({ column, descending, nullable }: OrderColumn, value: string | null): readonly string[] {
  if (value === null) return descending ? [] : [`o.${column} IS NOT NULL`]
  if (!descending) return [`o.${column} > ${value}`]
  return [`o.${column} < ${value}`, ...(nullable ? [`o.${column} IS NULL`] : [])]
}
