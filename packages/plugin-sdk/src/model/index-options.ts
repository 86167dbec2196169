/**
 * An index: a path, a path with options, or a function. The plugin evaluates the function before each write, so it must be pure
 * and fast and do no I/O. TypeScript infers the names; each object form has a property that the others lack, because otherwise
 * a name would match every form.
 */
export type IndexOption<Stored, Path extends string, Single extends string, Multi extends string> =
  | Path
  | PathIndexOption<Path>
  | SingleIndexOption<Stored, Single>
  | MultiIndexOption<Stored, Multi>

/** An index of any model. */
export type AnyIndexOption = IndexOption<never, string, string, string>

interface SharedIndexOption {
  /** Rejects a second object with the same value. */
  readonly unique?: boolean
  /** Sort direction when a query names none; default `ASC`. */
  readonly order?: 'ASC' | 'DESC'
}

interface PathIndexOption<Path extends string> extends SharedIndexOption {
  readonly path: Path
}

interface FunctionIndexOption<Name extends string> extends SharedIndexOption {
  readonly name: Name
  /** Increment it whenever the function returns different values, so that the host rebuilds the index; default 1. */
  readonly revision?: number
}

interface SingleIndexOption<Stored, Name extends string> extends FunctionIndexOption<Name> {
  readonly single: (object: Stored) => string | null | undefined
}

interface MultiIndexOption<Stored, Name extends string> extends FunctionIndexOption<Name> {
  readonly multi: (object: Stored) => Iterable<string>
}
