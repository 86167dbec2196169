import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Heap in use after a garbage collection, in bytes. */
export function memoryNow(): { readonly heap: number; readonly resident: number } {
  collect()
  // Twice: objects with a finalizer are freed in the second round.
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, resident: rss }
}

const collect = garbageCollector()

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
