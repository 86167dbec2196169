/** Other sites whose pages may call with a token. */
export interface Origins {
  has(origin: string): boolean
  /** 0 when no origin is allowed. */
  readonly size: number
}

/** Allows pages served on this machine, on any port that development tools choose. */
export const localOrigins: Origins = { has: (origin) => /^http:\/\/localhost(:\d{1,5})?$/.test(origin), size: 1 }

/** The same address, as users type it. */
export function localhostOf(publicUrl: string): string {
  return publicUrl.replace('//127.0.0.1:', '//localhost:')
}
