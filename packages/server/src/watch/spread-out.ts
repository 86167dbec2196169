/** Streams that end together reconnect together. */
const eachMs = 1
const mostMs = 2_000

/** Ends streams at random moments, over a time that grows with their number. */
export function spreadOut<Item>(items: Iterable<Item>, act: (item: Item) => void): void {
  const all = [...items]
  const withinMs = Math.min(mostMs, all.length * eachMs)
  for (const item of all) setTimeout(() => act(item), Math.random() * withinMs)
}
