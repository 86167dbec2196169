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
    const answer = query.apply(this, given)
    open++
    void Promise.resolve(answer)
      .catch(() => {})
      .then(() => open--)
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

function textOf(query: unknown): string {
  return typeof query === 'string' ? query : String((query as { readonly text?: unknown } | undefined)?.text)
}
