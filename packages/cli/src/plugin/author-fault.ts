/** An error in the plugin that its author must fix. Printed without a stack. */
export class AuthorFault extends Error {
  /** One line per error: `src/plugin.ts:2:11 Unexpected token`. */
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** The folder is not a plugin, or its `package.json` is invalid. */
export class ProjectFault extends Error {}

/** Location in a file; line and column count from 1. */
export interface Place {
  readonly file: string
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** The location of a character of a file. */
export function placeIn(file: string, text: string, index: number): Place {
  const before = text.slice(0, index).split('\n')
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

export function at({ file, line, column }: Place, message: string): string {
  const place = line === undefined ? [file] : [file, line, ...(column === undefined ? [] : [column])]
  return `${place.join(':')} ${message}`
}
