/** Of other sites, whose pages may call with a token. */
export interface Origins {
  has(origin: string): boolean
  /** Nobody is let in where it is 0. */
  readonly size: number
}

/** What is written on this machine is served here, too, on whatever port its tools choose. */
export const localOrigins: Origins = { has: (origin) => /^http:\/\/localhost(:\d{1,5})?$/.test(origin), size: 1 }
