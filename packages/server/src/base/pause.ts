import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work goes on for this long before others get a turn. */
const sliceMs = 5

/** For work that may take long: to be awaited between its steps, lets others have a turn every few milliseconds. */
export function createPause(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await nextTurn()
    since = performance.now()
  }
}
