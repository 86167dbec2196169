/** Collects the values of a statement while its text is built. */
export interface Parameters {
  readonly values: unknown[]
  /** Returns the placeholder of the value. */
  add(value: unknown): string
}

export function createParameters(): Parameters {
  const values: unknown[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}
