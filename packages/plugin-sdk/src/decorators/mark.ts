/** Metadata that a decorator attaches to a class or method. */
export interface Mark<Said> {
  put(on: object, said: Said): void
  /** Undefined when not set. Subclasses do not inherit it. */
  of(one: object): Said | undefined
}

/**
 * Stores the value on the class or method itself. Standard decorators have a metadata object for this, but only where
 * `Symbol.metadata` exists, and Node.js 24 lacks it.
 */
export function createMark<Said>(name: string): Mark<Said> {
  const key = Symbol(name)
  return {
    put: (on, value) => void Object.defineProperty(on, key, { value, configurable: true }),
    of: (one) => Object.getOwnPropertyDescriptor(one, key)?.value as Said | undefined,
  }
}
