/** Offered lifetimes of a token, in days. */
export const tokenDays: readonly number[] = [7, 30, 90, 365]
export const usualTokenDays = 90

const dayMs = 86_400_000

/** Expiry of a token created now; undefined for one that never expires. */
export function expiryAfter(days: number, now: number): string | undefined {
  return days > 0 ? new Date(now + days * dayMs).toISOString() : undefined
}
