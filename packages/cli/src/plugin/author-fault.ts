/** Something in a plugin that its author has to change. Told as it is, without a stack: it is not ours. */
export class AuthorFault extends Error {
  /** A line each: `src/plugin.ts:2:11 Unexpected token`. */
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** A folder that is no plugin at all, or one that says of itself what cannot be. */
export class ProjectFault extends Error {}

/** Where in a file, both counted from one. */
export interface Place {
  readonly file: string
  readonly line?: number | undefined
  readonly column?: number | undefined
}

export function at({ file, line, column }: Place, message: string): string {
  const place = line === undefined ? [file] : [file, line, ...(column === undefined ? [] : [column])]
  return `${place.join(':')} ${message}`
}
