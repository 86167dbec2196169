const longest = 60
/** Names of callers that are not users; no user may be mistaken for one of them. */
const reserved = new Set(['anonymous'])

/** Turns the provider's user name into a valid name, as similar as possible; `user` when no valid character is left. */
export function cleanedName(preferred: unknown): string {
  const text = typeof preferred === 'string' ? preferred.slice(0, 1_000) : ''
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const name = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replaceAll(/^-+|-+$/g, '')
  return name === '' ? 'user' : name
}

export function isReservedName(name: string): boolean {
  return reserved.has(name)
}
