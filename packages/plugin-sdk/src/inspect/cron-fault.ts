/** Fields of a cron expression, in order. */
export const cronFields = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12 },
  { name: 'day of the week', least: 0, most: 7 },
] as const

/** Checks a cron expression: five fields of numbers, ranges, lists and steps, such as `0,30 8-18/2 * * 1-5`. */
export function cronFault(cron: string): string | undefined {
  const parts = cron.trim().split(/\s+/)
  if (parts.length !== cronFields.length) {
    return `"${cron}" has ${parts.length} fields; write minute, hour, day of the month, month and day of the week: "0 3 * * *"`
  }
  const wrong = cronFields.find((field, at) => !parts[at]?.split(',').every((part) => isWithin(part, field)))
  if (!wrong) return undefined
  return `the ${wrong.name} in "${cron}" must be of numbers from ${wrong.least} to ${wrong.most}, such as *, ${wrong.most}, 1-5 or */2`
}

function isWithin(part: string, { least, most }: (typeof cronFields)[number]): boolean {
  const [, first, last, step] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? [undefined, 'none']
  const from = Number(first ?? least)
  const to = Number(last ?? first ?? most)
  return from >= least && to <= most && from <= to && Number(step ?? 1) >= 1
}
