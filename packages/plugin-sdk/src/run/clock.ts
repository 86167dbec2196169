import type { Clock } from '../handler-context.ts'

/** A clock that also wakes; tests move it. */
export interface WakingClock extends Clock {
  /** Calls once, that many milliseconds from now. Answers what takes it back. */
  after(ms: number, act: () => void): () => void
}

/** What a timer of the runtime can count; more would fire at once. */
const longestTimerMs = 2 ** 31 - 1

/** The machine's. */
export const machineClock: WakingClock = {
  now: () => Date.now(),
  iso: () => new Date().toISOString(),
  after(ms, act) {
    let left = ms
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      const now = Math.min(left, longestTimerMs)
      left -= now
      timer = setTimeout(() => (left > 0 ? wait() : act()), now)
    }
    wait()
    return () => clearTimeout(timer)
  },
}
