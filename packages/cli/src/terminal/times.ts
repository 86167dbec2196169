const units: readonly (readonly [number, string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
]

/** Formats a duration: `3m`, `2h`, `14d`. */
export function shortDuration(milliseconds: number): string {
  const [length, unit] = units.find(([least]) => milliseconds >= least) ?? [1_000, 's']
  return `${Math.max(0, Math.floor(milliseconds / length))}${unit}`
}

/** Formats a time in the local time zone, without seconds: `2030-03-01 10:00`. */
export function shortTime(text: string): string {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return text
  const day = [String(date.getFullYear()), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-')
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
