/** Recognised by this key rather than by class, because a bundle may contain this package twice. */
const key: unique symbol = Symbol.for('pergola.created')

/** A value that is sent with status 201. */
export interface Created<Value> {
  readonly [key]: Value
}

/** Answers with 201: `return created(order)`. The value is validated like any other answer. */
export function created<Value>(value: Value): Created<Value> {
  return { [key]: value }
}

/** Takes the answer of a handler apart. */
export function answered(given: unknown): { readonly value: unknown; readonly status: number } {
  const isCreated = typeof given === 'object' && given !== null && key in given
  return isCreated ? { value: given[key], status: 201 } : { value: given, status: 200 }
}
