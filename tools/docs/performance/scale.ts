/** Where a value lies on an axis, in pixels from its start. */
export type Scale = (value: number) => number

/** An axis from 0 to `max`. */
export function linearScale(max: number, length: number): Scale {
  return (value) => (max > 0 ? (value / max) * length : 0)
}

/** A logarithmic axis from `first` to `last`, both above 0. */
export function logScale(first: number, last: number, length: number): Scale {
  const decades = Math.log10(last / first)
  return (value) => (decades > 0 ? (Math.log10(value / first) / decades) * length : length / 2)
}

const steps = [1, 2, 2.5, 5, 10]

/** Round values from 0 to at least `max`, in at most `intervals` equal steps. */
export function ticks(max: number, intervals: number): readonly number[] {
  if (max <= 0) return [0]
  const least = max / intervals
  const power = 10 ** Math.floor(Math.log10(least))
  // The tolerance keeps 0.3 / 3 from missing 0.1.
  const step = (steps.find((one) => one * power >= least * (1 - 1e-9)) ?? 10) * power
  const count = Math.ceil((max / step) * (1 - 1e-9))
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)))
}
