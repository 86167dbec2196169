/**
 * A field that objects can be selected and sorted by: a path, a path with more to say, or a function that is evaluated in the
 * plugin before each write, and so is pure, quick and without I/O. The names are what TypeScript infers; the objects of each
 * form have a property that the others lack, without which a name would be taken for one of every form.
 */
export type IndexOption<Stored, Path extends string, Single extends string, Multi extends string> =
  | Path
  | PathIndexOption<Path>
  | SingleIndexOption<Stored, Single>
  | MultiIndexOption<Stored, Multi>

/** Of a model, whatever its objects look like. */
export type AnyIndexOption = IndexOption<never, string, string, string>

interface SharedIndexOption {
  /** No two objects may have the same value. */
  readonly unique?: boolean
  /** The direction of a sort that names none. */
  readonly order?: 'ASC' | 'DESC'
}

interface PathIndexOption<Path extends string> extends SharedIndexOption {
  readonly path: Path
}

interface FunctionIndexOption<Name extends string> extends SharedIndexOption {
  readonly name: Name
  /** One more whenever the function gives other values than before, so that the host evaluates it anew: 1 unless it is said. */
  readonly revision?: number
}

interface SingleIndexOption<Stored, Name extends string> extends FunctionIndexOption<Name> {
  readonly single: (object: Stored) => string | null | undefined
}

interface MultiIndexOption<Stored, Name extends string> extends FunctionIndexOption<Name> {
  readonly multi: (object: Stored) => Iterable<string>
}
