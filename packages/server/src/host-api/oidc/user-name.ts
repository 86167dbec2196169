const longest = 60
/** Of callers that are no users, so that nobody is taken for one of them. */
const reserved = new Set(['anonymous'])

/** A name by the naming rule, as near as can be to what the provider calls somebody; `user` when nothing is left of it. */
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
