import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Interval of the utilization check. */
const lookMs = 1_000
/** Event loop utilization below which the process counts as idle. */
const quietShare = 0.05

/**
 * Frees startup memory once: a third of the heap, which an idle process would keep for hours. The collection takes about 170
 * ms, so it waits for an idle second.
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
