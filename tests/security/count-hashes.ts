import { createHook } from 'node:async_hooks'

export interface HashCount extends Disposable {
  /** Argon2 hashes begun in this process, the servers of the test included. */
  readonly count: number
}

/** Hashing is what a login costs: where it is done as often, neither time nor CPU tells one login from another. */
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
