/** Password strength from 0 to 4, by length; at most 1 with fewer than five different characters. */
export function strengthOf(password: string): 0 | 1 | 2 | 3 | 4 {
  const { length } = password
  if (length < 8) return length === 0 ? 0 : 1
  if (new Set(password).size < 5) return 1
  if (length < 12) return 2
  return length < 16 ? 3 : 4
}
