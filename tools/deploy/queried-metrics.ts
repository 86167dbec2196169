/** Keywords of the query language that are not metrics. */
const keywords = new Set(['and', 'or', 'unless', 'offset', 'bool', 'start', 'end', 'inf', 'nan'])

/** Label lists in parentheses. */
const groupings = /\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g

/** Names of the metrics in a Prometheus query. */
export function metricsQueriedBy(query: string): readonly string[] {
  const bare = query
    .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(groupings, ' ')
    // Durations, and numbers with an exponent.
    .replaceAll(/\b\d[\w.]*/g, '')
  const words = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w)(?!\s*\()/g)].map(([word]) => word)
  return [...new Set(words.filter((word) => !keywords.has(word.toLowerCase())))]
}
