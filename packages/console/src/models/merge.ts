import { isSame } from './same.ts'

type Tree = Readonly<Record<string, unknown>>

export interface Difference {
  /** `spec.title`. */
  readonly field: string
  readonly yours: unknown
  readonly theirs: unknown
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

interface Copies {
  readonly read: unknown
  readonly yours: unknown
  readonly theirs: unknown
}

/** Where two copies of an object say different things, and yours is no longer what was read. */
export function differences(copies: Copies): readonly Difference[] {
  return [...leaves(copies, [])]
}

function* leaves({ read, yours, theirs }: Copies, path: readonly string[]): Generator<Difference> {
  if (isSame(yours, theirs)) return
  if (isTree(yours) && isTree(theirs)) {
    for (const key of new Set([...Object.keys(yours), ...Object.keys(theirs)])) {
      const before = isTree(read) ? read[key] : undefined
      yield* leaves({ read: before, yours: yours[key], theirs: theirs[key] }, [...path, key])
    }
  } else if (!isSame(read, yours)) yield { field: path.join('.'), yours, theirs }
}

/** Theirs, with whatever you have changed since it was read. */
export function withYours(read: unknown, yours: unknown, theirs: unknown): unknown {
  if (isSame(read, yours)) return theirs
  if (!isTree(yours) || !isTree(theirs)) return yours
  const before = isTree(read) ? read : {}
  const keys = new Set([...Object.keys(yours), ...Object.keys(theirs)])
  const merged = [...keys].map((key) => [key, withYours(before[key], yours[key], theirs[key])] as const)
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined))
}
