import type { UnplacedSelectorTerm } from '@pergola/api'

/** Names contain neither spaces nor capitals: `Water the pl` finds `water-the-plants`. */
export function nameLike(query: string): string {
  return query.trim().toLowerCase().replaceAll(/\s+/g, '-')
}

export interface SearchIndexes {
  /** Path of the title if it is indexed. */
  readonly title?: string | undefined
  /** The model has an index `words` of lower-case words. */
  readonly hasWords: boolean
}

/** Prefix searches on name, and on words or else the title. The title's index is case-sensitive, so the capitalized text is searched too. */
export function searchTerms(
  query: string,
  { title, hasWords }: SearchIndexes,
): readonly (readonly UnplacedSelectorTerm[])[] {
  const text = query.trim()
  const byName = [prefix('metadata.name', nameLike(text))]
  const words = hasWords ? wordsOf(text).map((word) => prefix('words', word)) : []
  if (words.length > 0) return [byName, words]
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  const titles = title === undefined ? [] : [...new Set([text, capital])].map((value) => [prefix(title, value)])
  return [byName, ...titles]
}

function prefix(key: string, value: string): UnplacedSelectorTerm {
  return { key, op: 'prefix', value }
}

/** Bound: each word adds a term to the request. */
const mostWords = 5

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, mostWords)
}

export interface Marked {
  readonly before: string
  readonly match: string
  readonly after: string
}

/** Splits a title around the first match of the query. */
export function marked(title: string, query: string): Marked {
  const at = title.toLowerCase().indexOf(query.trim().toLowerCase())
  const { length } = query.trim()
  if (at < 0 || length === 0) return { before: title, match: '', after: '' }
  return { before: title.slice(0, at), match: title.slice(at, at + length), after: title.slice(at + length) }
}
