import type { ApiObject } from '@pergola/client'
import { columnWidths, tableLine } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { shortDuration } from '../terminal/times.ts'
import { visible, visibleJson } from '../terminal/visible.ts'
import type { Column } from './list-columns.ts'

/** Objects as they come, in one of the forms that `-o` names. */
export interface ObjectWriter {
  /** Resolves when there is room for more. `change` is what became of it, where that is watched. */
  add(object: ApiObject, change?: string): Promise<void>
  /** Everything up to here is to be seen now. */
  flush(): Promise<void>
  end(): Promise<void>
}

/** Where nobody looks, as many lines decide on the width of columns. */
const unseenRows = 100
const bufferedCharacters = 16 * 1024

/** Lines in pieces: a write a line would be slow. What waits is bounded, since a full piece is waited for. */
function createPieces(terminal: Terminal): { add(text: string): Promise<void>; flush(): Promise<void> } {
  let waiting = ''
  const flush = async () => {
    const piece = waiting
    waiting = ''
    if (piece !== '') await terminal.write(piece)
  }
  return {
    flush,
    add: async (text) => {
      waiting += text
      if (waiting.length >= bufferedCharacters) await flush()
    },
  }
}

/** The first screenful decides how wide columns are, so that nobody waits for the last line to see the first. */
export function createTableWriter(
  terminal: Terminal,
  columns: readonly Column[],
  { withChange = false }: { readonly withChange?: boolean } = {},
): ObjectWriter {
  const pieces = createPieces(terminal)
  const screenful = terminal.rows ?? unseenRows
  const now = Date.now()
  let waiting: (readonly string[])[] | undefined = []
  let shown = columns.map((_, at) => at)
  let widths: readonly number[] = []
  const changeCells = (change: string) => (withChange ? [change] : [])
  const cellsOf = ({ metadata, ...object }: ApiObject, change: string) => {
    const age = shortDuration((withChange ? Date.now() : now) - Date.parse(metadata.creationTimestamp))
    return [...changeCells(change), visible(metadata.name), ...columns.map(({ cellOf }) => cellOf(object)), age]
  }
  const first = withChange ? 2 : 1
  const chosen = (row: readonly string[]) => [
    ...row.slice(0, first),
    ...shown.map((at) => row[first + at] ?? ''),
    row.at(-1) ?? '',
  ]
  const settle = async (isWhole: boolean) => {
    const rows = waiting ?? []
    waiting = undefined
    // Only who has seen all of it knows that a column is empty.
    if (isWhole) shown = shown.filter((at) => rows.some((row) => row[first + at] !== ''))
    const heads = [...changeCells('CHANGE'), 'NAME', ...columns.map(({ head }) => head), 'AGE']
    widths = columnWidths([heads, ...rows].map(chosen))
    await pieces.add(`${terminal.paint('bold', tableLine(chosen(heads), widths))}\n`)
    for (const row of rows) await pieces.add(`${tableLine(chosen(row), widths)}\n`)
  }
  return {
    add: async (object, change = '') => {
      const row = cellsOf(object, change)
      if (!waiting) return pieces.add(`${tableLine(chosen(row), widths)}\n`)
      waiting.push(row)
      if (waiting.length >= screenful) {
        await settle(false)
        await pieces.flush()
      }
    },
    flush: async () => {
      if (waiting) await settle(false)
      await pieces.flush()
    },
    end: async () => {
      if (waiting && waiting.length > 0) await settle(true)
      await pieces.flush()
    },
  }
}

/** A whole document; one that was cut off is none. */
export function createJsonWriter(terminal: Terminal): ObjectWriter {
  const pieces = createPieces(terminal)
  let count = 0
  return {
    add: (object) => pieces.add(`${count++ === 0 ? '{"items":[\n' : ',\n'}${visibleJson(JSON.stringify(object))}`),
    flush: () => pieces.flush(),
    end: async () => {
      await pieces.add(count === 0 ? '{"items":[]}\n' : '\n]}\n')
      await pieces.flush()
    },
  }
}

/** What is watched has no end: a document each. */
export function createJsonLinesWriter(terminal: Terminal): ObjectWriter {
  const pieces = createPieces(terminal)
  return {
    add: (object, change) => pieces.add(`${visibleJson(JSON.stringify({ change, object }))}\n`),
    flush: () => pieces.flush(),
    end: () => pieces.flush(),
  }
}

export function createNameWriter(terminal: Terminal): ObjectWriter {
  const pieces = createPieces(terminal)
  return {
    add: ({ metadata }) => pieces.add(`${visible(metadata.name)}\n`),
    flush: () => pieces.flush(),
    end: () => pieces.flush(),
  }
}

/** Documents that `apply` takes. */
export async function createYamlWriter(terminal: Terminal): Promise<ObjectWriter> {
  const { yamlText } = await import('./yaml-text.ts')
  const pieces = createPieces(terminal)
  let count = 0
  return {
    add: (object, change) =>
      pieces.add(`${count++ === 0 ? '' : '---\n'}${change === undefined ? '' : `# ${change}\n`}${yamlText(object)}`),
    flush: () => pieces.flush(),
    end: () => pieces.flush(),
  }
}
