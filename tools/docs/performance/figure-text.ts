/** Three digits, or all of a whole number: 0.123, 12.3, 1,235. */
export function figureText(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

/** Shortens thousands and millions on an axis: 500, 10k, 2.5M. */
export function axisText(value: number): string {
  if (Math.abs(value) >= 1e6) return `${figureText(value / 1e6)}M`
  if (Math.abs(value) >= 1e4) return `${figureText(value / 1e3)}k`
  return figureText(value)
}

export function ratioText(ratio: number): string {
  return ratio.toFixed(2)
}

/** Keeps the figure and its unit on one line. */
export function withUnit(value: number | string, unit: string): string {
  return `${typeof value === 'number' ? figureText(value) : value}\u00A0${unit}`.trimEnd()
}

export function callersText(callers: number): string {
  return callers === 1 ? '1 caller' : `${callers} callers`
}

/** For example 20 November 2026. */
export function dateText(date: string): string {
  return new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}
