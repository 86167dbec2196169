import { isSame } from './same.ts'

type Tree = Readonly<Record<string, unknown>>

export interface Difference {
  /** `spec.title`, for display. */
  readonly field: string
  /** The path as keys, which may contain dots. */
  readonly path: readonly string[]
  readonly yours: unknown
  readonly theirs: unknown
  /** Which side changed the value since it was read. */
  readonly changedBy: 'you' | 'them' | 'both'
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

interface Copies {
  readonly read: unknown
  readonly yours: unknown
  readonly theirs: unknown
}

/** Compares two edited copies of an object with the version that both started from. */
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
    return
  }
  const changedBy = isSame(read, yours) ? 'them' : isSame(read, theirs) ? 'you' : 'both'
  yield { field: path.join('.'), path, yours, theirs, changedBy }
}

/** Their object with the given fields from yours. */
export function withYours(theirs: unknown, taken: readonly Difference[]): unknown {
  return taken.reduce((object, { path, yours }) => withValue(object, path, yours), theirs)
}

/** Undefined removes the key. */
function withValue(tree: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const { [key]: before, ...others } = isTree(tree) ? tree : {}
  const now = withValue(before, rest, value)
  return now === undefined ? others : { ...others, [key]: now }
}
