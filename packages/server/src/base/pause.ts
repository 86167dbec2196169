import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work runs for this long before it yields. */
const sliceMs = 5

/** For long-running work: await it between steps to yield to other work every few milliseconds. */
export function createPause(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await nextTurn()
    since = performance.now()
  }
}
