import { execFileSync } from 'node:child_process'

/** A few items spread over a list, chosen by the current commit, so that different commits test different items. */
export function sampleOf<Item>(items: readonly Item[], size: number | string): readonly Item[] {
  const count = Math.min(Number(size), items.length)
  if (!Number.isInteger(count) || count < 1) throw new Error(`--sample takes a whole number of at least 1, not ${size}`)
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  const start = Number.parseInt(commit.slice(0, 8), 16)
  const stride = items.length / count
  return Array.from({ length: count }, (_, at) => start + Math.floor(at * stride)).flatMap(
    (at) => items[at % items.length] ?? [],
  )
}
