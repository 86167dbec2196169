/** Everything that a generator of pages yields. */
export async function readAll<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const read: Item[] = []
  for await (const item of items) read.push(item)
  return read
}
