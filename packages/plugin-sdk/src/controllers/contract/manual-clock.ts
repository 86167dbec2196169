import { createTestClock, type TestClock } from '../../testing/test-clock.ts'

export interface ManualClock extends TestClock {
  /** Fires due timers in order; `now` shows each timer its own time. */
  advance(ms: number): void
}

export function createManualClock(start = 0): ManualClock {
  const clock = createTestClock(start)
  return {
    ...clock,
    get waiting() {
      return clock.waiting
    },
    advance: (ms) => {
      const until = clock.now() + ms
      while (clock.step(until)) clock.fireDue()
    },
  }
}
