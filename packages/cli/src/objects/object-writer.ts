import type { ApiObject } from '@pergola/client'
import { clipped, shownColumns } from '../terminal/fitted-table.ts'
import { columnWidths, tableLine } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { shortDuration } from '../terminal/times.ts'
import { visible, visibleJson } from '../terminal/visible.ts'
import type { Expansion } from './expansion.ts'
import type { Column } from './list-columns.ts'

/** Prints objects as they arrive, in the format of `-o`. */
export interface ObjectWriter {
  /** Resolves when more can be written. `change` is the type of a watched change. */
  add(object: ApiObject, change?: string): Promise<void>
  /** Writes everything buffered so far. */
  flush(): Promise<void>
  end(): Promise<void>
}

/** Rows that determine the column widths when stdout is not a terminal. */
const unseenRows = 100
const bufferedCharacters = 16 * 1024

/** Buffers lines, because one write per line is slow. The buffer is bounded: `add` waits for a full one to be written. */
export function createPieces(terminal: Terminal): { add(text: string): Promise<void>; flush(): Promise<void> } {
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

/**
 * Sets the column widths from the first screenful, so that output starts before the last row is known. A bare table has only the
 * given columns; otherwise, name and age stand around them.
 */
export function createTableWriter(
  terminal: Terminal,
  columns: readonly Column[],
  { withChange = false, isBare = false }: { readonly withChange?: boolean; readonly isBare?: boolean } = {},
): ObjectWriter {
  const pieces = createPieces(terminal)
  const screenful = terminal.rows ?? unseenRows
  const now = Date.now()
  let waiting: (readonly string[])[] | undefined = []
  let shown = columns.map((_, at) => at)
  let widths: readonly number[] = []
  const around = (change: string, name: string, age: () => string) => ({
    before: [...(withChange ? [change] : []), ...(isBare ? [] : [name])],
    after: isBare ? [] : [age()],
  })
  const cellsOf = ({ metadata, ...object }: ApiObject, change: string) => {
    const age = () => shortDuration((withChange ? Date.now() : now) - Date.parse(metadata.creationTimestamp))
    const { before, after } = around(change, visible(metadata.name), age)
    return [...before, ...columns.map(({ cellOf }) => cellOf({ ...object, metadata })), ...after]
  }
  const first = (withChange ? 1 : 0) + (isBare ? 0 : 1)
  const last = first + columns.length
  const chosen = (row: readonly string[]) => [
    ...row.slice(0, first),
    ...shown.map((at) => row[first + at] ?? ''),
    ...row.slice(last),
  ]
  const line = (row: readonly string[]) => clipped(tableLine(chosen(row), widths), terminal.columns)
  const settle = async (isWhole: boolean) => {
    const rows = waiting ?? []
    waiting = undefined
    // Empty columns can be hidden only when all rows are known.
    if (isWhole && !isBare) shown = shown.filter((at) => rows.some((row) => row[first + at] !== ''))
    const { before, after } = around('CHANGE', 'NAME', () => 'AGE')
    const heads = [...before, ...columns.map(({ head }) => head), ...after]
    const all = columnWidths([heads, ...rows].map(chosen))
    // The age stays beside the name as long as another column can go; -o yaml has all fields.
    // A bare table keeps its first column.
    const order = [...all.keys()].slice(isBare ? first + 1 : first, first + shown.length).toReversed()
    const fitting = shownColumns(all, { columns: terminal.columns, order })
    shown = shown.filter((_, at) => fitting.includes(first + at))
    widths = fitting.map((at) => all[at] ?? 0)
    await pieces.add(`${terminal.paint('bold', line(heads))}\n`)
    for (const row of rows) await pieces.add(`${line(row)}\n`)
  }
  return {
    add: async (object, change = '') => {
      const row = cellsOf(object, change)
      if (!waiting) return pieces.add(`${line(row)}\n`)
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

/** Writes one JSON document; truncated output is invalid JSON. */
export function createJsonWriter(terminal: Terminal, expansion?: Pick<Expansion, 'answered'>): ObjectWriter {
  const pieces = createPieces(terminal)
  let count = 0
  return {
    add: (object) => pieces.add(`${count++ === 0 ? '{"items":[\n' : ',\n'}${visibleJson(JSON.stringify(object))}`),
    flush: () => pieces.flush(),
    end: async () => {
      const beside = expansion ? `,${visibleJson(JSON.stringify(expansion.answered())).slice(1)}` : '}'
      await pieces.add(`${count === 0 ? '{"items":[]' : '\n]'}${beside}\n`)
      await pieces.flush()
    },
  }
}

/** Writes one JSON document per line: the object, or for a watch, which does not end, the change and the object. */
export function createJsonLinesWriter(terminal: Terminal): ObjectWriter {
  const pieces = createPieces(terminal)
  return {
    add: (object, change) =>
      pieces.add(`${visibleJson(JSON.stringify(change === undefined ? object : { change, object }))}\n`),
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

/** Writes YAML documents that `apply` accepts. */
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
