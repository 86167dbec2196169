import type { UnplacedSelectorTerm } from '@pergola/api'

/** Prefix searches on user name, display name and e-mail. The indexes are case-sensitive. */
export function userTerms(typed: string): readonly UnplacedSelectorTerm[] {
  const text = typed.trim()
  if (text === '') return []
  const capitals = text.replaceAll(/(?<=^|\s)\p{L}/gu, (letter) => letter.toUpperCase())
  return [
    ...(/^[\w.-]+$/.test(text) ? [prefix('metadata.name', text.toLowerCase())] : []),
    ...[...new Set([capitals, text])].map((value) => prefix('spec.displayName', value)),
    ...(/\s/.test(text) ? [] : [prefix('spec.email', text.toLowerCase())]),
  ]
}

function prefix(key: string, value: string): UnplacedSelectorTerm {
  return { key, op: 'prefix', value }
}
