import type { WakingClock } from '../run/clock.ts'

/** A clock that only moves when a test advances it. */
export interface TestClock extends WakingClock {
  /** Whether a timer is due. */
  isDue(): boolean
  /** Fires every timer that is due. */
  fireDue(): void
  /** Moves to the next timer until `end`; without one, to `end`. Returns whether a timer is due now. */
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
      return next !== undefined
    },
    isDue: () => nextUntil(now) !== undefined,
    fireDue: () => {
      for (const alarm of [...alarms].filter(({ at }) => at <= now)) {
        // An alarm before it may have cancelled it.
        if (alarms.delete(alarm)) alarm.act()
      }
    },
    get waiting() {
      return alarms.size
    },
  }
}
