import type { Clock } from '../handler-context.ts'

/** A clock with timers, which tests can control. */
export interface WakingClock extends Clock {
  /** Calls `act` once after `ms` milliseconds. Returns a function that cancels the timer. */
  after(ms: number, act: () => void): () => void
}

/** Longest delay of `setTimeout`; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1

/** The system clock. */
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
