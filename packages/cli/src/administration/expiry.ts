const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses `30d`, `12h` or `90m` from now, or a date; returns undefined for `never`. */
export function expiryOf(text: string, now: number): Date | undefined {
  if (text === 'never') return undefined
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const at = unit === '' ? Date.parse(text) : now + Number(count) * (units[unit] ?? 0)
  if (Number.isNaN(at))
    throw new Error(`--expires takes 90m, 12h, 30d, a date such as 2030-12-31, or never; not "${text}"`)
  if (at <= now) throw new Error(`--expires must lie in the future; "${text}" does not`)
  return new Date(at)
}
