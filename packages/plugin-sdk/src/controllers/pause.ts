import { machineClock } from '../run/clock.ts'

export function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

/** Uses the system clock rather than the test clock, because it waits for the host. */
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
