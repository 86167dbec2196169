/** A hand-written object that has not been validated. */
export type Json = Readonly<Record<string, unknown>>

/** Records an error at a path in an object. */
export type Report = (path: readonly (string | number)[], message: string) => void

/** True for keys without a prefix and keys of the platform. */
export function isReserved(key: string): boolean {
  return !key.includes('/') || /^([^/]*\.)?platform\.run\//.test(key)
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
