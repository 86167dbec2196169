/** Collects the values of a statement while its text is written. */
export interface Parameters {
  readonly values: unknown[]
  /** Answers the placeholder of the value. */
  add(value: unknown): string
}

export function createParameters(): Parameters {
  const values: unknown[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}
