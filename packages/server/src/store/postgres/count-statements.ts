import { Client } from 'pg'
import { vi } from 'vitest'

/** What is sent to PostgreSQL from now on; passes of the sequencer come when they come, and are left out. */
export function countStatements(): Disposable & { readonly count: number } {
  const sent = vi.spyOn(Client.prototype, 'query')
  return {
    get count() {
      return sent.mock.calls.filter(([query]) => isOwn(query)).length
    },
    [Symbol.dispose]: () => sent.mockRestore(),
  }
}

function isOwn(query: unknown): boolean {
  return !/sequence_changes|pending_changes/.test(JSON.stringify(query) ?? '')
}
