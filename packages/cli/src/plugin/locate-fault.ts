import { placeIn, type Place } from './author-fault.ts'

export interface Source {
  /** Path relative to the plugin's folder. */
  readonly file: string
  readonly text: string
}

/**
 * Finds the source location of a part of the definition by its name: `models.Todo.indexes[2]` where the kind appears, `uc "POST
 * /todos/:name/share"` where the route appears. Falls back to `definePlugin`.
 */
export function locateFault(where: string, sources: readonly Source[], entry: string): Place {
  for (const form of [...formsOf(where), /\bdefinePlugin\s*[(<]/]) {
    for (const { file, text } of sources) {
      const found = form.exec(text)
      if (found) return placeIn(file, text, found.index)
    }
  }
  return { file: entry }
}

function formsOf(where: string): readonly RegExp[] {
  const [, quoted] = /"([^"]+)"/.exec(where) ?? []
  const [, kind] = /^(?:models\.|uc owned )(\w+)/.exec(where) ?? []
  const [, key] = /^(?:controllers|schedules)\.([\w-]+)/.exec(where) ?? []
  return [
    ...(quoted === undefined ? [] : [inQuotes(quoted), inQuotes(quoted.slice(quoted.indexOf('-') + 1))]),
    ...(kind === undefined ? [] : [new RegExp(`\\bkind:\\s*${inQuotes(kind).source}`)]),
    ...(key === undefined ? [] : [new RegExp(`\\b${escaped(key)}\\b`)]),
    ...(/^[a-z]+/i.exec(where) ?? []).map((word) => new RegExp(`\\b${escaped(word)}:`)),
  ]
}

function inQuotes(text: string): RegExp {
  return new RegExp(`['"\`]${escaped(text)}['"\`]`)
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w\s]/g, String.raw`\$&`)
}

/** Finds the topmost stack frame in the plugin's own files. */
export function locateThrown(stack: string, sources: readonly Source[]): Place | undefined {
  for (const [, path = '', line, column] of stack.matchAll(/\(?((?:file:\/\/)?[^\s()]+?):(\d+):(\d+)\)?$/gm)) {
    const source = sources.find(({ file }) => path === file || path.endsWith(`/${file}`))
    if (source) return { file: source.file, line: Number(line), column: Number(column) }
  }
  return undefined
}

/** Finds the first decorator at the beginning of a line. */
export function locateDecorator(sources: readonly Source[]): Place | undefined {
  for (const { file, text } of sources) {
    const found = /(?<=^[ \t]*)@\w/m.exec(text)
    if (found) return placeIn(file, text, found.index)
  }
  return undefined
}
