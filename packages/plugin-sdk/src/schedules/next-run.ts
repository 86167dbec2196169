import { durationMs } from '../duration.ts'
import { cronFields } from '../inspect/cron-fault.ts'
import type { Timing } from '../schedule.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** Days to search: 29 February is at most eight years away, so a day not found by then never occurs. */
const searchedDays = 8 * 366

/** First run strictly after `after`, in milliseconds since 1970; undefined when there is none. */
export function nextRun(timing: Timing, after: number): number | undefined {
  if ('cron' in timing) return nextByCron(timing.cron, after)
  const every = durationMs(timing.every)
  return every === undefined ? undefined : after + every
}

function nextByCron(cron: string, after: number): number | undefined {
  const [minutes, hours, ...ofDay] = cron
    .trim()
    .split(/\s+/)
    .map((text, at) => valuesOf(text, at))
  if (!minutes || !hours) return undefined
  const earliest = Math.floor(after / minuteMs) * minuteMs + minuteMs
  const first = Math.floor(earliest / dayMs) * dayMs
  for (let day = first; day < first + searchedDays * dayMs; day += dayMs) {
    if (!isDay(new Date(day), ofDay, cron)) continue
    for (const hour of hours) {
      for (const minute of minutes) {
        const time = day + (hour * 60 + minute) * minuteMs
        if (time >= earliest) return time
      }
    }
  }
  return undefined
}

type Values = ReadonlySet<number>

/** As in cron: when both day of month and day of week are restricted, either matches. */
function isDay(date: Date, [days, months, weekdays]: readonly (Values | undefined)[], cron: string): boolean {
  if (!days || !months || !weekdays || !months.has(date.getUTCMonth() + 1)) return false
  const isOfMonth = days.has(date.getUTCDate())
  const weekday = date.getUTCDay()
  const isOfWeek = weekdays.has(weekday) || (weekday === 0 && weekdays.has(7))
  const [, , dayText = '', , weekdayText = ''] = cron.trim().split(/\s+/)
  const isEither = !dayText.startsWith('*') && !weekdayText.startsWith('*')
  return isEither ? isOfMonth || isOfWeek : isOfMonth && isOfWeek
}

/** Values of a cron field, ascending. */
function valuesOf(text: string, at: number): Values {
  const { least = 0, most = 0 } = cronFields[at] ?? {}
  const parts = text.split(',').map((part) => {
    const [, first, last, step] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? []
    const from = Number(first ?? least)
    // `5/15` means every 15, starting at 5.
    const to = Number(last ?? (first !== undefined && step === undefined ? first : most))
    return { from, to, step: Number(step ?? 1) }
  })
  const every = Array.from({ length: most - least + 1 }, (_, offset) => least + offset)
  return new Set(
    every.filter((value) =>
      parts.some(({ from, to, step }) => value >= from && value <= to && (value - from) % step === 0),
    ),
  )
}
