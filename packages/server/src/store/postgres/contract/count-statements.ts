import { Client } from 'pg'
import { vi } from 'vitest'

export interface CountedStatements extends Disposable {
  readonly count: number
  /** Sent and not yet answered. */
  readonly open: number
  readonly texts: readonly string[]
}

/** Records the statements sent to PostgreSQL from now on; passes of the sequencer, whose timing varies, only on request. */
export function countStatements({ andPasses = false } = {}): CountedStatements {
  const texts: string[] = []
  let open = 0
  // oxlint-disable-next-line typescript/unbound-method -- called with the client that it is called on
  const query = Client.prototype.query as (this: Client, ...given: unknown[]) => unknown
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function counted(this: Client, ...given) {
    const text = textOf(given[0])
    if (andPasses || !/sequence_changes|pending_changes/.test(text)) texts.push(text)
    open++
    const ended = () => open--
    // A pool brings a callback, a named statement holds its own; only otherwise is the answer a promise.
    const [statement, last] = [given[0] as { callback?: unknown }, given.at(-1)]
    if (isFunction(last)) given.splice(-1, 1, before(ended, last))
    else if (isFunction(statement.callback)) statement.callback = before(ended, statement.callback)
    const answer = query.apply(this, given)
    if (answer instanceof Promise) void answer.then(ended, ended)
    return answer as never
  })
  return {
    get count() {
      return texts.length
    },
    get open() {
      return open
    },
    texts,
    [Symbol.dispose]: () => spy.mockRestore(),
  }
}

type Callback = (...result: readonly unknown[]) => unknown

function isFunction(value: unknown): value is Callback {
  return typeof value === 'function'
}

function before(first: () => unknown, callback: Callback): Callback {
  return (...result) => {
    first()
    return callback(...result)
  }
}

function textOf(query: unknown): string {
  return typeof query === 'string' ? query : String((query as { readonly text?: unknown } | undefined)?.text)
}
