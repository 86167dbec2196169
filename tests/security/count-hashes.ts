import { createHook } from 'node:async_hooks'

export interface HashCount extends Disposable {
  /** Argon2 hashes started in this process, including those of the servers under test. */
  readonly count: number
}

/** Hashing dominates the cost of a login: two logins with the same number of hashes cannot be told apart by time or CPU. */
export function countHashes(): HashCount {
  let count = 0
  const hook = createHook({ init: (_id, type) => void (type === 'ARGON2REQUEST' && count++) }).enable()
  return {
    get count() {
      return count
    },
    [Symbol.dispose]: () => void hook.disable(),
  }
}
