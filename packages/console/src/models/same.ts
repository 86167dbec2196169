/** Deep equality of JSON values; ignores the order of keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [ones, others] = [Object.entries(one), Object.entries(other)]
  const inOther = other as Readonly<Record<string, unknown>>
  return ones.length === others.length && ones.every(([key, value]) => key in other && isSame(value, inOther[key]))
}
