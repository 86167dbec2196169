import { ApiError } from '@pergola/api'
import type { ModelTable } from './model-table.ts'
import { termsIn } from './selectable.ts'
import type { IndexBuild, ListQuery } from './store.ts'

/** A unique index cannot be built because some objects have the same value. */
export class DuplicateValues extends Error {
  override readonly name = 'DuplicateValues'
  readonly index: string
  /** At most `maxDuplicatePairs`. */
  readonly pairs: readonly DuplicatePair[]

  constructor(index: string, pairs: readonly DuplicatePair[]) {
    const [first] = pairs
    const example = first ? `: "${first.first}" and "${first.second}" have the same value` : ''
    super(
      `the unique index "${index}" cannot be built, because objects share values${example}; change them and build again`,
    )
    this.index = index
    this.pairs = pairs
  }
}

export interface DuplicatePair {
  /** An index key. */
  readonly value: string
  /** Names of objects. */
  readonly first: string
  readonly second: string
}

export const maxDuplicatePairs = 20

/** The fields that a list uses. */
export function fieldsIn({ where = [], sort = [] }: ListQuery): readonly string[] {
  return [...termsIn(where).flatMap((term) => ('field' in term ? [term.field] : [])), ...sort.map(({ field }) => field)]
}

/** The indexes of these fields that are not ready. */
export function missingIndexes(table: ModelTable, fields: readonly string[]): readonly string[] {
  const used = new Set(fields)
  return table.indexes.filter(({ name, ready }) => used.has(name) && !ready).map(({ name }) => name)
}

export function indexBuilding(plural: string, name: string, build: IndexBuild | undefined): ApiError {
  const { done = 0, total = 0, remainingMs } = build ?? {}
  const seconds = remainingMs === undefined ? undefined : Math.max(1, Math.ceil(remainingMs / 1000))
  const share = total === 0 ? '' : `, ${Math.floor((done / total) * 100)} % done`
  const left = seconds === undefined ? '' : `, about ${seconds} s left`
  return new ApiError(
    'IndexBuilding',
    `the index "${name}" of ${plural} is being built${share}${left}; try again then`,
    {
      headers: { 'retry-after': String(Math.min(seconds ?? 5, 60)) },
    },
  )
}
