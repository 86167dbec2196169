/** A column of the rows of a statement. */
export interface Column {
  readonly name: string
  readonly read: (bytes: Buffer, start: number, end: number) => unknown
}

export interface Columns {
  readonly all: readonly Column[]
  /** A row that reads a value only when it is asked for, each time. */
  readonly LazyRow: new (bytes: Buffer, start: number) => object
}

/** A column as the server describes it. */
export interface Described {
  readonly name: string
  readonly dataTypeID: number
}

/** The driver's reader of a type. */
type ReadersByType = (type: number) => (text: string) => unknown

export function textColumns(described: readonly Described[], readerOf: ReadersByType): Columns {
  return columnsOf(
    described.map(({ name, dataTypeID }) => {
      const read = readerOf(dataTypeID)
      return { name, read: (bytes, start, end) => read(bytes.toString('utf8', start, end)) }
    }),
  )
}

/** The numbers of the types `bytea` and `text`. */
const [bytesType, textType] = [17, 25]

/** Bytes are a part of what was received. */
export function binaryColumns(described: readonly Described[]): Columns {
  return columnsOf(
    described.map(({ name, dataTypeID }) => {
      if (dataTypeID === bytesType) return { name, read: (bytes, start, end) => bytes.subarray(start, end) }
      if (dataTypeID === textType) return { name, read: (bytes, start, end) => bytes.toString('utf8', start, end) }
      throw new Error(`"${name}", a column of a binary statement, is neither text nor bytea`)
    }),
  )
}

/** Before each value: its length, less than 0 for null. */
const lengthBytes = 4

export function readRow(columns: readonly Column[], bytes: Buffer, start: number): object {
  const row: Record<string, unknown> = {}
  let at = start
  for (const column of columns) {
    row[column.name] = valueAt(bytes, at, column)
    at = afterValue(bytes, at)
  }
  return row
}

export const noColumns = columnsOf([])

function columnsOf(all: readonly Column[]): Columns {
  class LazyRow {
    readonly #bytes: Buffer
    readonly #start: number
    constructor(bytes: Buffer, start: number) {
      this.#bytes = bytes
      this.#start = start
    }
    static {
      for (const [place, column] of all.entries()) {
        Object.defineProperty(LazyRow.prototype, column.name, {
          get(this: LazyRow) {
            let at = this.#start
            for (let before = 0; before < place; before++) at = afterValue(this.#bytes, at)
            return valueAt(this.#bytes, at, column)
          },
        })
      }
    }
  }
  return { all, LazyRow }
}

function valueAt(bytes: Buffer, at: number, { read }: Column): unknown {
  const length = bytes.readInt32BE(at)
  const start = at + lengthBytes
  return length < 0 ? null : read(bytes, start, start + length)
}

function afterValue(bytes: Buffer, at: number): number {
  return at + lengthBytes + Math.max(0, bytes.readInt32BE(at))
}
