import type { WakingClock } from '../run/clock.ts'

/** A clock that stands still until it is moved. */
export interface TestClock extends WakingClock {
  /** Goes on to whoever is to be woken next, and wakes it; to the end when nobody is before it. Answers whether somebody was. */
  step(end: number): boolean
  /** How many are to be woken. */
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
