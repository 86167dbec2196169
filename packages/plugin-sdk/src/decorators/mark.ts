/** What a decorator says of a class or a method. */
export interface Mark<Said> {
  put(on: object, said: Said): void
  /** Undefined where none was put; classes do not inherit them. */
  of(one: object): Said | undefined
}

/**
 * Kept on the class or method itself. The context of standard decorators has a place for it, but only where `Symbol.metadata`
 * is known, which it is not in Node.js 24.
 */
export function createMark<Said>(name: string): Mark<Said> {
  const key = Symbol(name)
  return {
    put: (on, value) => void Object.defineProperty(on, key, { value, configurable: true }),
    of: (one) => Object.getOwnPropertyDescriptor(one, key)?.value as Said | undefined,
  }
}
