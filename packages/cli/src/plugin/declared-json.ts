/** Something that was written by hand, before anybody knows what it is. */
export type Json = Readonly<Record<string, unknown>>

/** Takes down a fault of a part of an object. */
export type Report = (path: readonly (string | number)[], message: string) => void

/** Keys without a prefix, and those of the platform. */
export function isReserved(key: string): boolean {
  return !key.includes('/') || /^([^/]*\.)?platform\.run\//.test(key)
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
