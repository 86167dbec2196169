import { EventEmitter } from 'node:events'
import { Client, type ClientConfig, type Connection, type QueryConfig, type QueryResult } from 'pg'
import utils from 'pg/lib/utils.js'
import { serialize } from 'pg-protocol'
import { binaryColumns, noColumns, readRow, textColumns, type Columns, type Described } from './columns.ts'
import { splitRows, type TakeRow } from './split-rows.ts'

/** Marks a statement whose columns are text or bytea, which are then sent as they are: as text, bytes are twice as long. */
export const binaryRows = { binary: true } as const

export interface BinaryStatement {
  /** Under which a connection keeps the statement. */
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
  readonly binary: true
  /** Reads a value only when it is asked for, each time: for rows of which some values are not needed. */
  readonly lazy?: true
}

type Statement = Pick<QueryConfig, 'name' | 'text' | 'values'> & Partial<Pick<BinaryStatement, 'binary' | 'lazy'>>

/** A connection of the driver. */
interface DriverConnection {
  attachListeners(stream: EventEmitter): void
}

/**
 * Runs named and binary statements with less work than the driver, which has every execution described again, copies its configuration by
 * property descriptors, sends four buffers, reads every value as text, and starts a timer for each.
 */
export class NamedClient extends Client {
  /** Whether the server keeps named statements. */
  protected readonly keepsStatements: boolean = true
  readonly #described = new Map<string, Columns>()
  readonly #limitMs: number
  #running: Execution | undefined
  #watch: NodeJS.Timeout | undefined

  constructor({ query_timeout: limit = 0, ...config }: ClientConfig = {}) {
    super(config)
    this.#limitMs = limit
    const { connection } = this as unknown as { readonly connection: DriverConnection }
    const attach = connection.attachListeners.bind(connection)
    connection.attachListeners = (stream) => {
      const others = new EventEmitter()
      const pass = (messages: Buffer) => others.emit('data', messages)
      stream.on('data', splitRows({ taker: () => this.#running?.takeRow, pass }))
      attach(others)
    }
  }

  override readonly query = ((config: unknown, ...rest: unknown[]) => {
    const submit = (...given: unknown[]) => (super.query as (...handed: unknown[]) => unknown)(...given)
    if (rest.length > 0 || !isStatement(config)) return submit(this.#limited(config), ...rest)
    return new Promise<unknown>((resolve, reject) => {
      const settle: Settle = (error, result) => (error ? reject(error) : resolve(result))
      const began = (execution: Execution) => this.#begin(execution)
      const ended = () => (this.#running = undefined)
      const { keepsStatements } = this
      const parts = { ...config, client: this, described: this.#described, keepsStatements, began, ended }
      submit(new Execution(parts, settle))
    }).catch((error: unknown) => {
      // Otherwise its stack would lead to the socket.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    })
  }) as Client['query']

  /** Everything else is run by the driver, with a timer of its own. */
  #limited(config: unknown): unknown {
    const limit = { ...(this.#limitMs > 0 && { query_timeout: this.#limitMs }) }
    if (typeof config === 'string') return { ...limit, text: config }
    if (typeof config !== 'object' || config === null || 'submit' in config) return config
    return { ...limit, ...config, ...(!this.keepsStatements && { name: undefined }) }
  }

  /**
   * One timer for many executions, which is renewed while it runs out. With a timer for each, V8 keeps the rows of every
   * execution until it collects all of its memory.
   */
  #begin(execution: Execution): void {
    this.#running = execution
    if (this.#limitMs > 0 && !this.#watch) this.#lookIn(this.#limitMs)
  }

  #lookIn(milliseconds: number): void {
    this.#watch = setTimeout(() => this.#look(), milliseconds).unref()
  }

  #look(): void {
    this.#watch = undefined
    const running = this.#running
    if (!running) return
    const leftMs = running.beganAt + this.#limitMs - performance.now()
    if (leftMs > 0) this.#lookIn(leftMs)
    else running.fail(new Error('Query read timeout'))
  }
}

/** Other options, such as a row mode, are left to the driver. */
function isStatement(config: unknown): config is Statement {
  if (typeof config !== 'object' || config === null) return false
  const { name, text, values: _values, binary, lazy: _lazy, ...others } = config as Partial<Statement>
  return (name !== undefined || binary === true) && text !== undefined && Object.keys(others).length === 0
}

interface ExecutionParts extends Statement {
  readonly client: Pick<Client, 'getTypeParser'>
  /** By statement; of one connection, as the statements are. */
  readonly described: Map<string, Columns>
  readonly keepsStatements: boolean
  readonly began: (execution: Execution) => void
  readonly ended: () => void
}

type Settle = (error: Error | null, result?: Pick<QueryResult, 'rows' | 'rowCount'>) => void

const describe = serialize.describe({ type: 'P' })
const run = Buffer.concat([serialize.execute({}), serialize.sync()])

/** One execution, as the client of the driver wants it; the client calls a method for each message of the server but rows. */
class Execution {
  /** Empty if the server is not to keep the statement. */
  readonly name: string
  readonly text: string
  readonly beganAt = performance.now()
  /** The client may replace it. */
  callback: Settle
  readonly #parts: ExecutionParts
  #columns: Columns | undefined
  readonly #rows: object[] = []
  #rowCount: number | null = null
  #failure: Error | undefined

  constructor(parts: ExecutionParts, settle: Settle) {
    const { name = '', text, keepsStatements, described } = parts
    this.name = keepsStatements ? name : ''
    this.text = text
    this.callback = settle
    this.#parts = parts
    this.#columns = described.get(name)
  }

  /** Returns what prevents it from being sent. */
  submit({
    stream,
    parsedStatements,
  }: Connection & { readonly parsedStatements: Record<string, string> }): Error | null {
    const { name, text } = this
    const { binary = false, values = [] } = this.#parts
    const parsed = name === '' ? undefined : parsedStatements[name]
    if (parsed !== undefined && parsed !== text) return new Error(`"${name}" is the name of another statement`)
    try {
      const before = parsed === undefined ? [serialize.parse({ name, text })] : []
      const bound = serialize.bind({ statement: name, binary, values: [...values], valueMapper: utils.prepareValue })
      stream.write(Buffer.concat([...before, bound, ...(this.#columns ? [] : [describe]), run]))
      this.#parts.began(this)
      return null
    } catch (error) {
      return error as Error
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly Described[] }): void {
    const { binary, client } = this.#parts
    try {
      this.#columns = binary ? binaryColumns(fields) : textColumns(fields, (type) => client.getTypeParser(type, 'text'))
    } catch (error) {
      this.#failure = error as Error
    }
  }

  readonly takeRow: TakeRow = (bytes, start) => {
    try {
      const { all, LazyRow } = this.#columns ?? noColumns
      this.#rows.push(this.#parts.lazy ? new LazyRow(bytes, start) : readRow(all, bytes, start))
    } catch (error) {
      this.#failure = error as Error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rowCount = Number(text.slice(text.lastIndexOf(' ') + 1))
    const { name, described } = this.#parts
    if (name !== undefined) described.set(name, this.#columns ?? noColumns)
  }

  handleError(error: Error): void {
    this.#parts.ended()
    this.callback(this.#failure ?? error)
  }

  handleReadyForQuery(): void {
    this.#parts.ended()
    if (this.#failure) this.callback(this.#failure)
    else this.callback(null, { rows: this.#rows, rowCount: this.#rowCount })
  }

  /** Whatever the server still sends for it is ignored. */
  fail(error: Error): void {
    this.callback(error)
    this.callback = () => {}
  }
}
