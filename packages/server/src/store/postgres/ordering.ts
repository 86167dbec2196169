import { decodeCursor } from '../cursor.ts'
import type { Cursor, ListQuery } from '../store.ts'
import type { ModelTable } from './model-table.ts'
import type { Parameters } from './parameters.ts'
import { fieldOf, type Field } from './predicates.ts'

/** One column of a total order: the last one is never null and never repeats. */
export interface OrderColumn {
  /** Of the row `o`. */
  readonly column: string
  readonly type: 'text' | 'bigint'
  readonly descending: boolean
  readonly nullable: boolean
  /** The objects without a value stand in an index of their own. */
  readonly nullsApart: boolean
}

/** The sort as columns, up to one that tells all objects apart; creation order takes the direction of the last key. */
export function orderOf(model: ModelTable, sort: NonNullable<ListQuery['sort']> = []): readonly OrderColumn[] {
  const columns: OrderColumn[] = []
  for (const { field: name, descending } of sort) {
    const field = fieldOf(model, name)
    if (field.kind === 'set') throw new Error(`${model.plural} cannot be sorted by the set "${name}"`)
    if (field.kind === 'created') return [...columns, idColumn(descending)]
    if (columns.some(({ column }) => column === columnName(field))) continue
    if (field.kind === 'deleted') {
      columns.push({ column: 'deleted_at', type: 'bigint', descending, nullable: true, nullsApart: true })
    } else {
      const nullsApart = field.nullable && field.unique
      columns.push({ column: field.column, type: 'text', descending, nullable: field.nullable, nullsApart })
    }
    if (name === 'metadata.name') return columns
  }
  return [...columns, idColumn(sort.at(-1)?.descending ?? true)]
}

/** The sort keys of the last object of a page; undefined for a cursor of another order, as far as that can be seen. */
export function placeOf(order: readonly OrderColumn[], cursor: Cursor): readonly (string | null)[] | undefined {
  const values = decodeCursor(cursor, order.length)
  const fits = order.every(({ type, nullable }, at) => {
    const value = values?.[at] ?? null
    return value === null ? nullable : type === 'text' || isBigint(value)
  })
  return fits ? values : undefined
}

function isBigint(value: string): boolean {
  return /^\d{1,19}$/.test(value) && BigInt(value) < 2n ** 63n
}

/** An object without a value sorts first ascending and last descending, which one B-tree serves in both directions. */
export function orderBy(order: readonly OrderColumn[], row = 'o'): string {
  const parts = order.map(({ column, descending, nullable }) => {
    const nulls = nullable ? (descending ? ' NULLS LAST' : ' NULLS FIRST') : ''
    return `${row}.${column} ${descending ? 'DESC' : 'ASC'}${nulls}`
  })
  return parts.join(', ')
}

/**
 * What lies behind the given place, as conditions that are read one after the other: each is one range of an index,
 * while their union would be none.
 */
export function segmentsAfter(
  order: readonly OrderColumn[],
  after: readonly (string | null)[] | undefined,
  parameters: Parameters,
): readonly string[] {
  const [first, second] = order
  if (!first) throw new Error('an order has no column')
  const placeholder = (at: number) => `${parameters.add(after?.[at] ?? null)}::${order[at]?.type ?? 'text'}`
  const column = `o.${first.column}`
  if (after === undefined) {
    if (!first.nullsApart) return ['true']
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

/** Equal up to some column and beyond in that one; with a plain range on the first column for its index. */
function lexicographic(
  order: readonly OrderColumn[],
  after: readonly (string | null)[],
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

function columnName(field: Field): string {
  return field.kind === 'column' ? field.column : 'deleted_at'
}

function idColumn(descending: boolean): OrderColumn {
  return { column: 'id', type: 'bigint', descending, nullable: false, nullsApart: false }
}
