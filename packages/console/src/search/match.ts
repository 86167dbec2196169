/** Rank of a match, lower is better: at the start of the text, of a word, or anywhere. Undefined without a match. */
function rankOf(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean)
  const within = text.toLowerCase()
  // Also matches names without spaces, as in the API: `configmap`.
  if (!wanted.every((word) => within.includes(word)))
    return withoutSpaces(within).includes(withoutSpaces(query.toLowerCase())) ? 2 : undefined
  if (within.startsWith(query.toLowerCase())) return 0
  return wanted.every((word) => ` ${within}`.includes(` ${word}`)) ? 1 : 2
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** Matching items, best first; stable within a rank. */
export function matching<Item extends { readonly title: string; readonly hint: string }>(
  query: string,
  items: readonly Item[],
): readonly Item[] {
  return items
    .map((item) => ({ item, rank: rankOf(query, item.title) ?? rankOf(query, `${item.title} ${item.hint}`) }))
    .filter((ranked) => ranked.rank !== undefined)
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ item }) => item)
}
