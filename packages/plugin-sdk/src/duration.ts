/** A duration: `90s`, `5m`, `2h`, `1d`. */
export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}`

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Converts to milliseconds; undefined when invalid or zero. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd])$/.exec(text) ?? []
  const ms = Number(count) * unitMs[unit as keyof typeof unitMs]
  return ms > 0 ? ms : undefined
}
