import type { OrderColumn, ListPosition } from '../../list-order.ts'
import type { Parameters } from '../parameters.ts'

/** An object without a value sorts first ascending and last descending; one B-tree serves both directions. */
export function orderBy(order: readonly OrderColumn[], row = 'o'): string {
  const parts = order.map(({ column, descending, nullable }) => {
    const nulls = nullable ? (descending ? ' NULLS LAST' : ' NULLS FIRST') : ''
    return `${row}.${column} ${descending ? 'DESC' : 'ASC'}${nulls}`
  })
  return parts.join(', ')
}

/**
 * The rows after the given position, as conditions to be read one after the other: each is one range of an index, while their
 * union is not.
 */
export function segmentsAfter(
  order: readonly OrderColumn[],
  after: ListPosition | undefined,
  parameters: Parameters,
): readonly string[] {
  const [first, second] = order
  if (!first) throw new Error('an order has no column')
  const placeholder = (at: number) =>
    `${parameters.add(after?.[at] ?? null)}::${order[at]?.type === 'integer' ? 'bigint' : 'text'}`
  const column = `o.${first.column}`
  if (after === undefined) {
    // A unique index, and the index of deletions, keep objects without a value in a separate index.
    const nullsApart = first.nullable && (first.unique || first.column === 'deleted_at')
    if (!nullsApart) return ['true']
    const segments = [`${column} IS NULL`, `${column} IS NOT NULL`]
    return first.descending ? segments.toReversed() : segments
  }
  const beyond = first.descending ? '<' : '>'
  if (!second) return [`${column} ${beyond} ${placeholder(0)}`]
  if (order.length > 2 || first.descending !== second.descending) return [lexicographic(order, after, placeholder)]
  if (after[0] === null) {
    const inNulls = `${column} IS NULL AND o.${second.column} ${second.descending ? '<' : '>'} ${placeholder(1)}`
    return first.descending ? [inNulls] : [inNulls, `${column} IS NOT NULL`]
  }
  const inValues = `(${column}, o.${second.column}) ${beyond} (${placeholder(0)}, ${placeholder(1)})`
  return first.descending && first.nullable ? [inValues, `${column} IS NULL`] : [inValues]
}

/**
 * Equal in the columns before some column and beyond the position in that one; with a plain range on the first column for its
 * index.
 */
function lexicographic(
  order: readonly OrderColumn[],
  after: ListPosition,
  placeholder: (at: number) => string,
): string {
  const same = (at: number) => {
    const column = `o.${order[at]?.column ?? ''}`
    return after[at] === null ? `${column} IS NULL` : `${column} = ${placeholder(at)}`
  }
  const alternatives = order.flatMap(({ column, descending, nullable }, at) => {
    const name = `o.${column}`
    if (after[at] === null && descending) return []
    const equal = order.slice(0, at).map((_, before) => same(before))
    if (after[at] === null) return [[...equal, `${name} IS NOT NULL`].join(' AND ')]
    const further = `${name} ${descending ? '<' : '>'} ${placeholder(at)}`
    return [[...equal, descending && nullable ? `(${further} OR ${name} IS NULL)` : further].join(' AND ')]
  })
  const [first] = order
  const bound =
    first && after[0] !== null && !(first.descending && first.nullable)
      ? `o.${first.column} ${first.descending ? '<=' : '>='} ${placeholder(0)} AND `
      : ''
  return `${bound}(${alternatives.map((part) => `(${part})`).join(' OR ')})`
}
