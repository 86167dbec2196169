/** Days are ISO dates such as `2026-11-24`, which compare as strings. */
export function dayOf(time: Date): string {
  const parts = [time.getFullYear(), time.getMonth() + 1, time.getDate()]
  return parts.map((part, at) => String(part).padStart(at === 0 ? 4 : 2, '0')).join('-')
}

export function addDays(day: string, count: number): string {
  const time = new Date(`${day}T12:00:00`)
  time.setDate(time.getDate() + count)
  return dayOf(time)
}

/** The first day of the month, `by` months away. */
export function addMonths(day: string, count: number): string {
  const time = new Date(`${day.slice(0, 8)}01T12:00:00`)
  time.setMonth(time.getMonth() + count)
  return dayOf(time)
}

/** Six weeks from Monday that contain the day's whole month. */
export function weeksOf(day: string): readonly (readonly string[])[] {
  const first = `${day.slice(0, 8)}01`
  const before = (new Date(`${first}T12:00:00`).getDay() + 6) % 7
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (__, weekday) => addDays(first, week * 7 + weekday - before)),
  )
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Parses `2026-11-24`, `24 Nov 2026`, `24 Nov`, `24.11.2026`; undefined for other text and impossible dates. */
export function parseDay(text: string, today: string): string | undefined {
  const typed = text.trim().toLowerCase()
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(typed)
  if (iso) return dayFrom(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(typed)
  if (dotted) return dayFrom(Number(dotted[3]), Number(dotted[2]), Number(dotted[1]))
  const named = /^(\d{1,2})\s+([a-z]{3})[a-z]*\.?(?:\s+(\d{4}))?$/.exec(typed)
  if (!named) return undefined
  const month = months.indexOf(named[2] ?? '') + 1
  return month === 0 ? undefined : dayFrom(Number(named[3] ?? today.slice(0, 4)), month, Number(named[1]))
}

function dayFrom(year: number, month: number, date: number): string | undefined {
  const time = new Date(year, month - 1, date, 12)
  const isReal = time.getFullYear() === year && time.getMonth() === month - 1 && time.getDate() === date
  return isReal ? dayOf(time) : undefined
}
