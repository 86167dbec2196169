import { Client, type Connection, type QueryResult } from 'pg'
import utils from 'pg/lib/utils.js'
import { serialize } from 'pg-protocol'

interface NamedConfig {
  readonly name: string
  readonly text: string
  readonly values?: readonly unknown[]
}

/** Columns of the rows of a statement, and how to read each. */
type Columns = readonly { readonly name: string; readonly read: (text: string) => unknown }[]

/**
 * Runs named statements with less work than the driver, which has every execution described again, copies its configuration by
 * property descriptors, and sends four buffers.
 */
export class NamedClient extends Client {
  readonly #described = new Map<string, Columns>()

  override readonly query = ((config: unknown, ...rest: unknown[]) => {
    const submit = (...given: unknown[]) => (super.query as (...handed: unknown[]) => unknown)(...given)
    if (rest.length > 0 || !isNamed(config)) return submit(config, ...rest)
    return new Promise<unknown>((resolve, reject) => {
      const settle: Settle = (error, result) => (error ? reject(error) : resolve(result))
      submit(new Execution({ ...config, client: this, described: this.#described }, settle))
    }).catch((error: unknown) => {
      // Otherwise its stack would lead to the socket.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    })
  }) as Client['query']
}

/** Other options, such as a row mode, are left to the driver. */
function isNamed(config: unknown): config is NamedConfig {
  if (typeof config !== 'object' || config === null) return false
  const { name, text, values: _, ...others } = config as Partial<NamedConfig>
  return name !== undefined && text !== undefined && Object.keys(others).length === 0
}

interface ExecutionParts extends NamedConfig {
  readonly client: Pick<Client, 'getTypeParser'>
  /** By statement; of one connection, as the statements are. */
  readonly described: Map<string, Columns>
}

type Settle = (error: Error | null, result?: Pick<QueryResult, 'rows' | 'rowCount'>) => void

const describe = serialize.describe({ type: 'P' })
const run = Buffer.concat([serialize.execute({}), serialize.sync()])

/** One execution, as the client of the driver wants it; the client calls a method for each message of the server. */
class Execution {
  readonly name: string
  readonly text: string
  /** The client replaces it to limit the time. */
  callback: Settle
  readonly #parts: ExecutionParts
  #columns: Columns
  #isDescribed: boolean
  readonly #rows: Record<string, unknown>[] = []
  #rowCount: number | null = null
  #failure: Error | undefined

  constructor(parts: ExecutionParts, settle: Settle) {
    this.name = parts.name
    this.text = parts.text
    this.callback = settle
    this.#parts = parts
    const columns = parts.described.get(parts.name)
    this.#isDescribed = columns !== undefined
    this.#columns = columns ?? []
  }

  /** Returns what prevents it from being sent. */
  submit({
    stream,
    parsedStatements,
  }: Connection & { readonly parsedStatements: Record<string, string> }): Error | null {
    const { name, text } = this
    const parsed = parsedStatements[name]
    if (parsed !== undefined && parsed !== text) return new Error(`"${name}" is the name of another statement`)
    try {
      const bound = serialize.bind({
        statement: name,
        values: [...(this.#parts.values ?? [])],
        valueMapper: utils.prepareValue,
      })
      const before = parsed === undefined ? [serialize.parse({ name, text })] : []
      stream.write(Buffer.concat([...before, bound, ...(this.#isDescribed ? [] : [describe]), run]))
      return null
    } catch (error) {
      return error as Error
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    const { client } = this.#parts
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, read: client.getTypeParser(dataTypeID, 'text') }))
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    try {
      for (const [at, { name, read }] of this.#columns.entries()) {
        const text = fields[at] ?? null
        row[name] = text === null ? null : read(text)
      }
      this.#rows.push(row)
    } catch (error) {
      this.#failure = error as Error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rowCount = Number(text.slice(text.lastIndexOf(' ') + 1))
    if (!this.#isDescribed) this.#parts.described.set(this.name, this.#columns)
  }

  handleError(error: Error): void {
    this.callback(this.#failure ?? error)
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.callback(this.#failure)
    else this.callback(null, { rows: this.#rows, rowCount: this.#rowCount })
  }
}
