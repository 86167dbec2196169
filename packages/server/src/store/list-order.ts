import { ApiError } from '@pergola/api'
import { decodeCursor } from './cursor.ts'
import { columnOf, type ModelTable } from './model-table.ts'
import type { Cursor, ListQuery } from './store.ts'

/** Where the values of a field are stored. */
export type Field =
  | { readonly kind: 'text'; readonly column: string; readonly nullable: boolean; readonly unique: boolean }
  /** Either an object id, whose high bits are milliseconds, or plain milliseconds. */
  | {
      readonly kind: 'time'
      readonly column: 'id' | 'deleted_at'
      readonly nullable: boolean
      readonly unique: boolean
    }
  | { readonly kind: 'set'; readonly slot: number }

export function fieldOf(model: ModelTable, name: string): Field {
  if (name === 'metadata.name') return { kind: 'text', column: 'name', nullable: false, unique: true }
  if (name === 'metadata.creationTimestamp') return { kind: 'time', column: 'id', nullable: false, unique: true }
  if (name === 'metadata.deletionTimestamp')
    return { kind: 'time', column: 'deleted_at', nullable: true, unique: false }
  const index = model.indexes.find((candidate) => candidate.name === name)
  if (!index) throw new Error(`${model.plural} have no index "${name}"`)
  if (index.multi) return { kind: 'set', slot: index.slot }
  return { kind: 'text', column: columnOf(index.slot), nullable: true, unique: index.unique }
}

/** One column of a total order. Only the last column is never null: the name or the id, which are unique. */
export interface OrderColumn {
  /** Column of the row `o`. */
  readonly column: string
  readonly type: 'text' | 'integer'
  readonly descending: boolean
  readonly nullable: boolean
  readonly unique: boolean
}

/** The sort as columns, ending with a unique one. Creation order takes the direction of the last key. */
export function orderOf(model: ModelTable, sort: NonNullable<ListQuery['sort']> = []): readonly OrderColumn[] {
  const columns: OrderColumn[] = []
  for (const { field: name, descending } of sort) {
    const field = fieldOf(model, name)
    if (field.kind === 'set') throw new Error(`${model.plural} cannot be sorted by the set "${name}"`)
    const { kind, column, nullable, unique } = field
    if (columns.some((before) => before.column === column)) continue
    columns.push({ column, type: kind === 'text' ? 'text' : 'integer', descending, nullable, unique })
    if (!nullable) return columns
  }
  const descending = sort.at(-1)?.descending ?? true
  return [...columns, { column: 'id', type: 'integer', descending, nullable: false, unique: true }]
}

/** The sort keys of the last object of a page. */
export type ListPosition = readonly (string | null)[]

/** Throws for a cursor of another sort order, as far as that can be detected. */
export function placeOf(order: readonly OrderColumn[], cursor: Cursor): ListPosition {
  const values = decodeCursor(cursor, order.length)
  const fits = order.every(({ type, nullable }, at) => {
    const value = values?.[at] ?? null
    return value === null ? nullable : type === 'text' || isBigint(value)
  })
  if (values && fits) return values
  throw new ApiError('BadRequest', 'the cursor is not one of this list; start again without it')
}

function isBigint(value: string): boolean {
  return /^\d{1,19}$/.test(value) && BigInt(value) < 2n ** 63n
}
