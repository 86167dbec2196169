import type { OrderColumn, ListPosition } from '../list-order.ts'
import type { Parameters } from './parameters.ts'

/** SQLite sorts null before all values, so an object without a value sorts first ascending and last descending. */
export function orderBy(order: readonly OrderColumn[]): string {
  return order.map(({ column, descending }) => `o.${column} ${descending ? 'DESC' : 'ASC'}`).join(', ')
}

/**
 * The rows after the position, as conditions to be read one after the other: each is one range of an index, while their union is
 * not, and SQLite searches row value comparisons by the first column only.
 */
export function segmentsAfter(
  order: readonly OrderColumn[],
  place: ListPosition | undefined,
  parameters: Parameters,
): readonly string[] {
  if (place === undefined) return segmentsFromStart(order)
  const values = order.map((_, at) => {
    const value = place[at] ?? null
    if (value === null) return null
    return parameters.add(order[at]?.type === 'integer' ? Number(value) : value)
  })
  const same = order.map(({ column }, at) =>
    values[at] === null ? `o.${column} IS NULL` : `o.${column} = ${values[at]}`,
  )
  const segments = order.map((column, at) =>
    beyond(column, values[at] ?? null).map((further) => [...same.slice(0, at), further].join(' AND ')),
  )
  return segments.toReversed().flat()
}

/** Nulls are a separate segment at the start only where the index leaves them out. */
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
