import type { WakingClock } from '../run/clock.ts'

/** A clock that only moves when a test advances it. */
export interface TestClock extends WakingClock {
  /** Moves to the next timer before `end` and fires it. Without one, moves to `end`. Returns whether a timer fired. */
  step(end: number): boolean
  /** Number of pending timers. */
  readonly waiting: number
}

interface Alarm {
  readonly at: number
  readonly act: () => void
}

export function createTestClock(start: number): TestClock {
  let now = start
  const alarms = new Set<Alarm>()
  const nextUntil = (end: number) => {
    let next: Alarm | undefined
    for (const alarm of alarms) if (alarm.at <= end && (!next || alarm.at < next.at)) next = alarm
    return next
  }
  return {
    now: () => now,
    iso: () => new Date(now).toISOString(),
    after: (ms, act) => {
      const alarm = { at: now + ms, act }
      alarms.add(alarm)
      return () => void alarms.delete(alarm)
    },
    step: (end) => {
      const next = nextUntil(end)
      now = Math.max(now, next?.at ?? end)
      if (!next) return false
      alarms.delete(next)
      next.act()
      return true
    },
    get waiting() {
      return alarms.size
    },
  }
}
