import { machineClock } from '../run/clock.ts'

/** By the machine's clock, since it is the host that is waited for and nothing that a test decides. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const leave = () => {
      cancel()
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const cancel = machineClock.after(ms, leave)
    signal.addEventListener('abort', leave)
  })
}
