/** Collects all items of a generator of pages. */
export async function readAll<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const read: Item[] = []
  for await (const item of items) read.push(item)
  return read
}
