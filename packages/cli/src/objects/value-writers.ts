import type { Terminal } from '../terminal/terminal.ts'
import { visibleJson, visibleLines } from '../terminal/visible.ts'
import { csvLine } from './csv.ts'
import { csvValue, type FieldColumn } from './field-columns.ts'
import type { JsonPath } from './json-path.ts'
import { createPieces, type ObjectWriter } from './object-writer.ts'

/** Writes CSV whose header has the paths of the fields, so that `import` can read it. */
export function createCsvWriter(terminal: Terminal, columns: readonly FieldColumn[]): ObjectWriter {
  const pieces = createPieces(terminal)
  let isBegun = false
  const begin = async () => {
    if (!isBegun) await pieces.add(csvLine(columns.map(({ path }) => path)))
    isBegun = true
  }
  return {
    add: async (object) => {
      await begin()
      await pieces.add(shownOn(terminal, csvLine(columns.map((column) => csvValue(column, object)))))
    },
    flush: () => pieces.flush(),
    end: async () => {
      await begin()
      await pieces.flush()
    },
  }
}

/** Writes what a JSONPath finds in each object, a line each: text as it is, everything else as JSON. */
export function createPathWriter(terminal: Terminal, find: JsonPath): ObjectWriter {
  const pieces = createPieces(terminal)
  return {
    add: async (object) => {
      for (const value of find(object)) {
        await pieces.add(
          `${typeof value === 'string' ? shownOn(terminal, value) : visibleJson(JSON.stringify(value))}\n`,
        )
      }
    },
    flush: () => pieces.flush(),
    end: () => pieces.flush(),
  }
}

/** Escapes control characters on a terminal. Files and other programs get the text as it is. */
function shownOn({ columns }: Terminal, text: string): string {
  return columns === undefined ? text : visibleLines(text)
}
