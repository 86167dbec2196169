import type { Condition } from './store.ts'

/** A time condition as a range of whole milliseconds: `from` inclusive, `before` exclusive. */
export interface TimeRange {
  readonly from?: number
  readonly before?: number
}

/** Timestamp keys have nanoseconds, objects milliseconds: a key between two milliseconds equals none. */
export function timeRanges(condition: Condition): readonly TimeRange[] | 'present' | 'absent' {
  switch (condition.op) {
    case 'present':
    case 'absent':
      return condition.op
    case '=':
      return exactly(condition.value)
    case 'in':
      return condition.values.flatMap(exactly)
    case '>':
      return [{ from: floor(condition.value) + 1 }]
    case '>=':
      return [{ from: ceiling(condition.value) }]
    case '<':
      return [{ before: ceiling(condition.value) }]
    case '<=':
      return [{ before: floor(condition.value) + 1 }]
    case 'not in':
    case 'prefix':
      throw new Error(`the condition ${condition.op} is not served for times`)
  }
}

function exactly(key: string): readonly TimeRange[] {
  const from = floor(key)
  return from === ceiling(key) ? [{ from, before: from + 1 }] : []
}

function floor(key: string): number {
  return Date.parse(`${key.slice(0, 23)}Z`)
}

function ceiling(key: string): number {
  return floor(key) + (key.slice(23, 29) === '000000' ? 0 : 1)
}
