/** Rounds up to 1, 2, 5, 10, 20, 50 and so on. */
export function niceTop(most: number): number {
  if (most <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most) ?? most
}

/** `count` indexes spread evenly from the first to the last. */
export function timeMarks(length: number, count: number): readonly number[] {
  if (length < 2) return []
  return Array.from({ length: count }, (_, at) => Math.round(((length - 1) * at) / (count - 1)))
}
