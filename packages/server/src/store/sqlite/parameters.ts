type ParameterValue = string | number | null

/** Collects the values of a statement while its text is built; named, so that their order does not matter. */
export interface Parameters {
  readonly values: Readonly<Record<string, ParameterValue>>
  /** Returns the placeholder of the value. */
  add(value: ParameterValue): string
}

export function createParameters(): Parameters {
  const values: Record<string, ParameterValue> = {}
  let count = 0
  return {
    values,
    add: (value) => {
      count += 1
      values[`p${count}`] = value
      return `@p${count}`
    },
  }
}
