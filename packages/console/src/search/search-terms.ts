import type { UnplacedSelectorTerm } from '@pergola/api'

/** Names have neither spaces nor capitals: `Water the pl` finds `water-the-plants`. */
export function nameLike(query: string): string {
  return query.trim().toLowerCase().replaceAll(/\s+/g, '-')
}

/** What a query is the beginning of: the API name, and the title where it has an index. Indexes tell capitals apart. */
export function searchTerms(query: string, titlePath: string | undefined): readonly UnplacedSelectorTerm[] {
  const text = query.trim()
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  const titles = titlePath === undefined ? [] : [...new Set([text, capital])]
  return [
    { key: 'metadata.name', op: 'prefix', value: nameLike(text) },
    ...titles.map((value) => ({ key: titlePath ?? '', op: 'prefix' as const, value })),
  ]
}

export interface Marked {
  readonly before: string
  readonly match: string
  readonly after: string
}

/** A title, parted at where the query is in it. */
export function marked(title: string, query: string): Marked {
  const at = title.toLowerCase().indexOf(query.trim().toLowerCase())
  const { length } = query.trim()
  if (at < 0 || length === 0) return { before: title, match: '', after: '' }
  return { before: title.slice(0, at), match: title.slice(at, at + length), after: title.slice(at + length) }
}
