/** Lower is better: the text begins with it, one of its words does, or it is somewhere within. Undefined without a match. */
function rankOf(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean)
  const within = text.toLowerCase()
  // A kind is found as it is spelled in an API, too: `configmap`.
  if (!wanted.every((word) => within.includes(word)))
    return joined(within).includes(joined(query.toLowerCase())) ? 2 : undefined
  if (within.startsWith(query.toLowerCase())) return 0
  return wanted.every((word) => ` ${within}`.includes(` ${word}`)) ? 1 : 2
}

function joined(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** The best matches first; matches of the same rank keep their order. */
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
