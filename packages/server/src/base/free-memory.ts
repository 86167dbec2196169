import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Interval of checks for low load. */
const lookMs = 1_000
/** Maximum event loop utilization between two checks that counts as low. */
const quietShare = 0.05

/**
 * Frees, once, the memory used at startup: a third of the heap, which V8 would keep for hours under low load. It
 * takes a sixth of a second, so it waits for low load.
 */
export function freeMemoryWhenQuiet(): void {
  let before = performance.eventLoopUtilization()
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > quietShare) return
    clearInterval(looking)
    freeMemory()
  }, lookMs)
  looking.unref()
}

/** V8 runs this collection by itself only when it runs out of memory. */
function freeMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: object) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', flavor: 'last-resort' })
}
